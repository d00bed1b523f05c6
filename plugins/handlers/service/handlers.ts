import {
  type Database,
  Errors,
  type Expressions,
  type Ids,
  iso,
  isServiceError,
  MAX_AT_ONCE,
  type Page,
  type Scope,
  type Sealer,
  ServiceError,
  token,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { type EventBus, PREDICATE_ROOTS } from '../../bus/contract.ts';
import {
  type AuditedWrites,
  checkOwnedName,
  type NamedCall,
  type ProjectScope,
  type ResourceService,
} from '../../resources/contract.ts';
import type { StoredWorkflows } from '../../workflows/contract.ts';
import { MAX_HANDLERS, MAX_PREDICATE_BYTES } from '../domain/ceilings.ts';
import { HANDLER } from '../domain/names.ts';
import { type HandlerOwnership, patternFaults } from '../contract.ts';
import { HandlerErrors } from '../errors.ts';
import type { HandlerView } from '../generated/handler.ts';
import type { PutHandlerBody } from '../generated/put-handler.ts';
import { type HandlerEntry, type HandlerRow, handlers, sizeOf } from '../store/handlers.ts';
import { countedSince, queuedByName, readCounts, removeCounts } from '../store/counts.ts';
import { countInFlight } from '../store/open-runs.ts';
import { countQueued, queuedFor, removeQueuedFor } from '../store/queue.ts';
import { raiseVersion } from '../store/versions.ts';
import { placeOf, viewOf } from './definitions.ts';

export interface HandlerParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  writes: AuditedWrites;
  expressions: Expressions;
  bus: Pick<EventBus, 'lock' | 'settleDeliveries'>;
  workflows: StoredWorkflows;
}

/** Registers, shows and removes handlers. Each change and its audit row are one transaction. */
export class Handlers implements ResourceService<PutHandlerBody> {
  readonly #parts: HandlerParts;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  /**
   * Answers the registered handler and whether it is new. Everything is checked here: events start only checked
   * workflows. Throws `invalid_request`, `expression_invalid`, `handlers_full` and the errors of a submit.
   */
  async set(call: NamedCall, body: PutHandlerBody): Promise<{ made: boolean; view: HandlerView }> {
    const { scope } = call;
    const row = await this.#checked(call.scope, call.name, null, call.by.principal?.id ?? null, body);
    const work = async (tx: Transaction) => {
      const made = await this.#register(tx, row);
      return { made, view: this.#opened(await handlers.get(tx, scope, call.name)) };
    };
    return this.#parts.writes.write(call, 'handler.set', work, () => `on ${body.on.join(',')}`);
  }

  /** Throws `handler_owned`, `handlers_full`. */
  async #register(tx: Transaction, row: HandlerRow): Promise<boolean> {
    await this.#parts.bus.lock(tx, row);
    refuseOwned(await handlers.find(tx, row, row.name), row.owner);
    const made = await handlers.put(tx, row);
    await refuseTooMany(tx, row, made);
    await raiseVersion(tx, row);
    return made;
  }

  async #checked(
    scope: Scope,
    name: string,
    owner: string | null,
    set_by: string | null,
    body: Readonly<PutHandlerBody>,
  ): Promise<HandlerRow> {
    const { database, ids, workflows } = this.#parts;
    const { on, when, ...workflow } = body;
    const faults = patternFaults(on);
    if (faults.length > 0)
      throw Errors.invalidRequest(faults.map(({ pointer, message }) => `${pointer} ${message}`).join('; '), {
        errors: faults,
      });
    if (when !== undefined) this.#compile(when);
    const revision = ids.next('rev');
    const now = database.now();
    const stored = await workflows.store({ ...scope, set_by }, workflow, placeOf({ ...scope, name, revision }));
    return {
      ...scope,
      name,
      handler_id: ids.next('hdl'),
      revision,
      patterns: JSON.stringify([...new Set(on)]),
      predicate: when ?? null,
      about: stored.about,
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
      this.#parts.expressions.compile(when, PREDICATE_ROOTS);
    } catch (error) {
      if (!isServiceError(error)) throw error;
      const errors = [{ pointer: '/when', message: error.message }];
      throw new ServiceError(error.definition, `when does not compile: ${error.message}`, { ...error.extras, errors });
    }
  }

  /** For the plugins whose resources have handlers. */
  readonly ownership: HandlerOwnership = {
    prepare: async ({ scope, name, owner, on, when, workflow, set_by }) => {
      checkOwnedName(name);
      const body = { ...workflow, on: [...on], ...(when !== undefined && { when }) };
      const row = await this.#checked(scope, name, owner, set_by, body as PutHandlerBody);
      return { put: async (tx) => void (await this.#register(tx, row).catch(asConflict)) };
    },
    drop: async (tx, { name, owner, ...scope }) => {
      await this.#parts.bus.lock(tx, scope);
      if ((await handlers.find(tx, scope, name))?.owner !== owner) return false;
      return this.#remove(tx, scope, name);
    },
  };

  /** Runs that it started continue; queued deliveries never start. Throws `not_found`, `handler_owned`. */
  remove(call: NamedCall): Promise<void> {
    const remove = async (tx: Transaction, scope: ProjectScope, name: string) => {
      await this.#parts.bus.lock(tx, scope);
      refuseOwned(await handlers.find(tx, scope, name), null);
      return this.#remove(tx, scope, name);
    };
    return this.#parts.writes.remove(call, 'handler.delete', { ...HANDLER, remove });
  }

  async #remove(tx: Transaction, scope: ProjectScope, name: string): Promise<boolean> {
    if (!(await handlers.remove(tx, scope, name))) return false;
    await this.#refuseQueued(tx, scope, name);
    await removeCounts(tx, scope, name);
    await raiseVersion(tx, scope);
    return true;
  }

  /** There may be 100,000 of them. */
  async #refuseQueued(tx: Transaction, scope: ProjectScope, name: string): Promise<void> {
    const removed = { reaction: 'handler', name, state: 'refused', reason: 'the handler was removed' } as const;
    for (let after = 0; ; ) {
      const some = await queuedFor(tx, scope, name, after, MAX_AT_ONCE);
      const deliveries = some.map(({ event_id }) => ({ ...removed, event_id }));
      await this.#parts.bus.settleDeliveries(tx, scope, deliveries);
      if (some.length < MAX_AT_ONCE) break;
      after = some.at(-1)!.event_seq;
    }
    await removeQueuedFor(tx, scope, name);
  }

  /** Throws `not_found`. */
  async read({ scope, name }: Pick<NamedCall, 'scope' | 'name'>): Promise<HandlerView> {
    const row = await handlers.get(this.#parts.database, scope, name);
    await this.#parts.sealer.prepare(scope.org_id);
    const [counted] = await this.#counted(scope, [this.#opened(row)]);
    return counted!;
  }

  /** With what they did lately. */
  async #counted(scope: ProjectScope, views: readonly HandlerView[]): Promise<HandlerView[]> {
    const { database } = this.#parts;
    const now = database.now();
    const names = views.map(({ name }) => name);
    const did = await readCounts(database, scope, names, now);
    const queued = await queuedByName(database, scope, names);
    const since = iso(countedSince(now));
    return views.map((view) => {
      const { started = 0, failed = 0, predicate_errors = 0 } = did.get(view.name) ?? {};
      return { ...view, lately: { since, started, failed, predicate_errors, queued: queued.get(view.name) ?? 0 } };
    });
  }

  /** Without the workflows. */
  async list(scope: ProjectScope, page: Page) {
    const found = await handlers.page(this.#parts.database, scope, page, (entry) => viewOf(entry));
    return { ...found, items: await this.#counted(scope, found.items), ...(await this.load(scope)) };
  }

  /** Handler runs of the project that are queued or running, and queued deliveries. */
  async load(scope: ProjectScope): Promise<{ in_flight: number; queued: number }> {
    const { database } = this.#parts;
    return {
      in_flight: (await countInFlight(database, scope, Infinity)).all,
      queued: await countQueued(database, scope),
    };
  }

  #opened(row: HandlerRow): HandlerView {
    return viewOf(row, this.#parts.workflows.open(placeOf(row), row.definition));
  }
}

/** Throws `handler_owned`. */
function refuseOwned(present: HandlerEntry | undefined, owner: string | null): void {
  if (!present || present.owner === owner) return;
  throw HandlerErrors.handlerOwned(
    `the handler ${present.name} ${present.owner === null ? 'was registered by a user' : `belongs to ${present.owner}`}`,
  );
}

function asConflict(error: unknown): never {
  throw isServiceError(error, 'handler_owned') ? Errors.nameConflict(error.message) : error;
}

/** Throws `handlers_full`. */
async function refuseTooMany(tx: Transaction, scope: ProjectScope, made: boolean): Promise<void> {
  const { count, predicate_bytes } = await sizeOf(tx, scope);
  if (made && count > MAX_HANDLERS) throw HandlerErrors.handlersFull(`the project has ${MAX_HANDLERS} handlers`);
  if (predicate_bytes <= MAX_PREDICATE_BYTES) return;
  const message = `makes ${predicate_bytes} bytes for all predicates of the project; the limit is ${MAX_PREDICATE_BYTES}`;
  throw HandlerErrors.handlersFull(`when ${message}`, { errors: [{ pointer: '/when', message }] });
}

/** The token under which the routes find them. */
export const OwnHandlers = token<Handlers>('handlers.Handlers');
