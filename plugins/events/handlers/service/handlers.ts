import {
  type Database,
  Errors,
  type Expressions,
  type Ids,
  iso,
  isServiceError,
  MAX_ROWS_PER_STATEMENT,
  type Page,
  type Scope,
  type Sealer,
  ServiceError,
  token,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import { type EventBus, PREDICATE_ROOTS } from '../../bus/contract.ts';
import {
  type AuditedWrites,
  checkManagedName,
  type NamedRequest,
  ownershipOf,
  type ProjectScope,
  type ResourceService,
} from '../../../platform/resources/contract.ts';
import type { StoredWorkflows } from '../../workflows/contract.ts';
import { NO_LIMIT } from '../domain/concurrency.ts';
import { type FlowBody, type FlowOptions, parseFlowOptions } from '../contract/flow-options.ts';
import { MAX_HANDLERS, MAX_PREDICATE_BYTES } from '../domain/ceilings.ts';
import { listExpressions } from '../domain/flow.ts';
import { HANDLER } from '../domain/names.ts';
import { type HandlerOwnership, validatePatterns } from '../contract.ts';
import { parseRetry, type RetryPolicy } from '../domain/retry.ts';
import { HandlerErrors } from '../errors.ts';
import type { HandlerView } from '../generated/handler.ts';
import type { PutHandlerBody } from '../generated/put-handler.ts';
import { type HandlerEntry, type HandlerRow, handlers, measureHandlers } from '../store/handlers.ts';
import { countsStart, countQueuedByName, readCounts, removeCounts } from '../store/counts.ts';
import { removeLettersOfHandler } from '../store/dead-letters.ts';
import { countInFlight } from '../store/open-runs.ts';
import { countQueued, listQueuedFor, removeQueuedFor } from '../store/queue.ts';
import { changeMaxRuns } from '../store/admissions.ts';
import { callGates, removeGatesOf } from '../store/gates.ts';
import { insertRefill } from '../store/refills.ts';
import { removeRetriesOfHandler } from '../store/retries.ts';
import { incrementVersion } from '../store/versions.ts';
import { readHandlerWaits } from '../store/waits.ts';
import { flowOptionsOf, type HandlerSummary, sealContext, toView } from './definitions.ts';

const ownership = ownershipOf('handler', HandlerErrors.handlerOwned);

export interface HandlerDeps {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  writes: AuditedWrites;
  expressions: Expressions;
  bus: Pick<EventBus, 'lock' | 'updateDeliveries'>;
  workflows: StoredWorkflows;
}

/** Registers, shows and removes handlers. Each change and its audit row share one transaction. */
export class Handlers implements ResourceService<PutHandlerBody> {
  readonly #deps: HandlerDeps;

  constructor(deps: HandlerDeps) {
    this.#deps = deps;
  }

  /**
   * Registers a handler and returns it, with whether it is new. The workflow is validated here, so events start only
   * valid ones. Throws `invalid_request`, `expression_invalid`, `handlers_full` and the errors of a submit.
   */
  async set(call: NamedRequest, body: PutHandlerBody): Promise<{ made: boolean; view: HandlerView }> {
    const { scope } = call;
    const row = await this.#validate(call.scope, call.name, null, call.by.principal?.id ?? null, body);
    const work = async (tx: Transaction) => {
      const made = await this.#register(tx, row);
      return { made, view: this.#openView(await handlers.get(tx, scope, call.name)) };
    };
    return this.#deps.writes.write(call, 'handler.set', work, () => `on ${body.on.join(',')}`);
  }

  async #register(tx: Transaction, row: HandlerRow): Promise<boolean> {
    await this.#deps.bus.lock(tx, row);
    const existing = await handlers.find(tx, row, row.name);
    ownership.assertSame(existing, row.owner);
    const made = await handlers.put(tx, row);
    if (existing) await this.#changeOptions(tx, row, existing);
    await assertWithinLimits(tx, row, made);
    await incrementVersion(tx, row);
    return made;
  }

  /** Deliveries that wait get the new limits, and start if these leave room. */
  async #changeOptions(tx: Transaction, row: HandlerRow, existing: HandlerEntry): Promise<void> {
    const [before, after] = [existing, row].map(({ about }) => JSON.parse(about) as HandlerSummary);
    const now = this.#deps.database.now();
    if (JSON.stringify(before!.throttle) !== JSON.stringify(after!.throttle))
      await callGates(tx, row, row.name, 'throttle', now);
    const [limit_before, limit] = [before, after].map((summary) => summary!.concurrency?.limit ?? NO_LIMIT);
    if (limit === limit_before) return;
    if ((await changeMaxRuns(tx, row, row.name, limit!)) > 0) await insertRefill(tx, row, now);
  }

  async #validate(
    scope: Scope,
    name: string,
    owner: string | null,
    set_by: string | null,
    body: Readonly<PutHandlerBody>,
  ): Promise<HandlerRow> {
    const { database, ids, workflows } = this.#deps;
    const { on, when, concurrency, throttle, rate_limit, debounce, batch, priority, retry, ...workflow } = body;
    const flow = { concurrency, throttle, rate_limit, debounce, batch, priority };
    const options = parseFlowOptions(this.#deps.expressions, flow as FlowBody);
    const errors = validatePatterns(on);
    if (errors.length > 0)
      throw Errors.invalidRequest(errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; '), {
        errors: errors,
      });
    if (when !== undefined) this.#compile(when);
    const revision = ids.next('rev');
    const now = database.now();
    const context = sealContext({ ...scope, name, revision });
    const stored = await workflows.store({ ...scope, set_by }, workflow, context, { by_events: true });
    return {
      ...scope,
      name,
      handler_id: ids.next('hdl'),
      revision,
      patterns: JSON.stringify([...new Set(on)]),
      predicate: when ?? null,
      about:
        options === undefined && !retry
          ? stored.about
          : addOptions(stored.about, { ...options, ...(retry && { retry: parseRetry(retry) }) }),
      definition: stored.sealed,
      set_by,
      owner,
      created_at: now,
      set_at: now,
    };
  }

  /** Throws `expression_invalid` with the pointer of the member. */
  #compile(when: string): void {
    try {
      this.#deps.expressions.compile(when, PREDICATE_ROOTS);
    } catch (error) {
      if (!isServiceError(error)) throw error;
      const errors = [{ pointer: '/when', message: error.message }];
      throw new ServiceError(error.definition, `when does not compile: ${error.message}`, { ...error.extras, errors });
    }
  }

  /** Used by the plugins whose resources own handlers. */
  readonly ownership: HandlerOwnership = {
    prepare: async ({ scope, name, owner, on, when, flow, workflow, set_by }) => {
      checkManagedName(name);
      const body = { ...workflow, ...flow, on: [...on], when };
      const row = await this.#validate(scope, name, owner, set_by, body as PutHandlerBody);
      return { put: async (tx) => void (await this.#register(tx, row).catch(ownership.toNameConflict)) };
    },
    drop: async (tx, { name, owner, ...scope }) => {
      await this.#deps.bus.lock(tx, scope);
      if ((await handlers.find(tx, scope, name))?.owner !== owner) return false;
      return this.#remove(tx, scope, name);
    },
  };

  /**
   * Removes a handler. Runs that it started continue; queued deliveries never start. Throws `not_found`,
   * `handler_owned`.
   */
  remove(call: NamedRequest): Promise<void> {
    const remove = async (tx: Transaction, scope: ProjectScope, name: string) => {
      await this.#deps.bus.lock(tx, scope);
      ownership.assertSame(await handlers.find(tx, scope, name), null);
      return this.#remove(tx, scope, name);
    };
    return this.#deps.writes.remove(call, 'handler.delete', { ...HANDLER, remove });
  }

  async #remove(tx: Transaction, scope: ProjectScope, name: string): Promise<boolean> {
    if (!(await handlers.remove(tx, scope, name))) return false;
    await this.#refuseQueuedDeliveries(tx, scope, name);
    await removeCounts(tx, scope, name);
    await removeLettersOfHandler(tx, scope, name);
    await removeRetriesOfHandler(tx, scope, name);
    await incrementVersion(tx, scope);
    return true;
  }

  /** Refuses the queued deliveries of a removed handler page by page, because there may be 100,000 of them. */
  async #refuseQueuedDeliveries(tx: Transaction, scope: ProjectScope, name: string): Promise<void> {
    const refusal = { reaction: 'handler', name, state: 'refused', reason: 'the handler was removed' } as const;
    for (let after = 0; ; ) {
      const page = await listQueuedFor(tx, scope, name, after, MAX_ROWS_PER_STATEMENT);
      const deliveries = page.map(({ event_id }) => ({ ...refusal, event_id }));
      await this.#deps.bus.updateDeliveries(tx, scope, deliveries);
      if (page.length < MAX_ROWS_PER_STATEMENT) break;
      after = page.at(-1)!.event_seq;
    }
    await removeQueuedFor(tx, scope, name);
    await removeGatesOf(tx, scope, name);
  }

  async read({ scope, name }: { scope: ProjectScope; name: string }): Promise<HandlerView> {
    const row = await handlers.get(this.#deps.database, scope, name);
    await this.#deps.sealer.prepare(scope.org_id);
    const [counted] = await this.#withActivity(scope, [this.#openView(row)]);
    if (!flowOptionsOf(JSON.parse(row.about) as HandlerSummary)) return counted!;
    const waiting = await readHandlerWaits(this.#deps.database, scope, name);
    return {
      ...counted!,
      waiting: waiting.map(({ until, ...wait }) => ({ ...wait, ...(until !== undefined && { until: iso(until) }) })),
    };
  }

  /** Adds what each handler did lately. */
  async #withActivity(scope: ProjectScope, views: readonly HandlerView[]): Promise<HandlerView[]> {
    const { database } = this.#deps;
    const now = database.now();
    const names = views.map(({ name }) => name);
    const counts = await readCounts(database, scope, names, now);
    const queued = await countQueuedByName(database, scope, names);
    const since = iso(countsStart(now));
    return views.map((view) => {
      const { started = 0, failed = 0, predicate_errors = 0, dropped = 0 } = counts.get(view.name) ?? {};
      return {
        ...view,
        lately: { since, started, failed, predicate_errors, dropped, queued: queued.get(view.name) ?? 0 },
      };
    });
  }

  /** Lists handlers without their workflows. */
  async list(scope: ProjectScope, page: Page) {
    const page_of_handlers = await handlers.page(this.#deps.database, scope, page, (entry) => toView(entry));
    return {
      ...page_of_handlers,
      items: await this.#withActivity(scope, page_of_handlers.items),
      ...(await this.load(scope)),
    };
  }

  /** Counts the handler runs of the project that are queued or running, and its queued deliveries. */
  async load(scope: ProjectScope): Promise<{ in_flight: number; queued: number }> {
    const { database } = this.#deps;
    return {
      in_flight: (await countInFlight(database, scope, Infinity)).all,
      queued: await countQueued(database, scope),
    };
  }

  #openView(row: HandlerRow): HandlerView {
    return toView(row, this.#deps.workflows.open(sealContext(row), row.definition));
  }
}

const addOptions = (about: string, options: FlowOptions & { retry?: RetryPolicy }): string =>
  JSON.stringify({ ...(JSON.parse(about) as HandlerSummary), ...options });

async function assertWithinLimits(tx: Transaction, row: HandlerRow, created: boolean): Promise<void> {
  const { count, predicate_bytes, abouts } = await measureHandlers(tx, row);
  if (created && count > MAX_HANDLERS) throw HandlerErrors.handlersFull(`the project has ${MAX_HANDLERS} handlers`);
  const bytes = abouts.reduce((sum, about) => sum + measureExpressions(about), predicate_bytes);
  if (bytes <= MAX_PREDICATE_BYTES) return;
  const message = `brings all predicates, keys and priorities of the project to ${bytes} bytes; the limit is ${MAX_PREDICATE_BYTES}`;
  const pointer = row.predicate === null ? '' : '/when';
  throw HandlerErrors.handlersFull(`${row.predicate === null ? 'the handler' : 'when'} ${message}`, {
    errors: [{ pointer, message }],
  });
}

/** Returns the bytes of the expressions of a handler's options. */
const measureExpressions = (about: string): number =>
  listExpressions(flowOptionsOf(JSON.parse(about) as HandlerSummary) ?? {}).reduce(
    (sum, source) => sum + Buffer.byteLength(source),
    0,
  );

/** The token under which the routes resolve `Handlers`. */
export const HandlersToken = token<Handlers>('handlers.Handlers');
