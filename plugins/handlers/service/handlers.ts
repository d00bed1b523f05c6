import {
  type Database,
  Errors,
  type Expressions,
  type Ids,
  isServiceError,
  MOST_AT_ONCE,
  type Page,
  pageOf,
  type Scope,
  type Sealer,
  ServiceError,
  settled,
  token,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import type { EventBus, ProjectScope } from '../../bus/contract.ts';
import type { RunCreation } from '../../runs/contract.ts';
import { MOST_HANDLERS, MOST_PREDICATE_BYTES } from '../domain/ceilings.ts';
import { type Definition, documentOf } from '../domain/document.ts';
import { checkName, isName } from '../domain/names.ts';
import { patternFaults } from '../domain/patterns.ts';
import { submitOf } from '../domain/start.ts';
import { ROOTS } from '../domain/verdict.ts';
import { HandlerErrors } from '../errors.ts';
import type { PutHandlerBody } from '../generated/put-handler.ts';
import {
  type HandlerEntry,
  type HandlerRow,
  listHandlers,
  readHandlers,
  removeHandler,
  sizeOf,
  writeCredentials,
  writeHandler,
} from '../store/handler-table.ts';
import { countOpen } from '../store/open-runs.ts';
import { countQueued, queuedFor, removeQueuedFor } from '../store/queue.ts';
import { raiseVersion } from '../store/versions.ts';
import { aboutOf, openDefinition, sealDefinition } from './definitions.ts';

export interface HandlerParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  audit: Pick<Audit, 'record'>;
  expressions: Expressions;
  bus: Pick<EventBus, 'lock' | 'settleDeliveries'>;
  creation: Pick<RunCreation, 'prepare'>;
}

export interface Handler {
  entry: HandlerEntry;
  definition: Definition;
}

const noHandler = (name: string) => Errors.notFound(`no handler ${name.slice(0, 63)} in this project`);

/** Registers, shows and removes handlers; what is done and the audit row of it are one transaction. */
export class Handlers {
  readonly #parts: HandlerParts;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  /**
   * What it has become, whatever others do to it afterwards, and whether it is new. Everything is checked here: events
   * only start what was found right. Throws `invalid_request`, `expression_invalid`, `handlers_full` and what a submit
   * of the document throws.
   */
  async set(scope: Scope, name: string, body: PutHandlerBody, by: AuditSource): Promise<Handler & { made: boolean }> {
    checkName(name);
    const row = await this.#checked(scope, name, body, by);
    const { credentials = {} } = body as Definition;
    return settled(() =>
      this.#parts.database.transaction(async (tx) => {
        await this.#parts.bus.lock(tx, scope);
        const made = await writeHandler(tx, row);
        await refuseTooMany(tx, scope, made);
        await writeCredentials(tx, scope, name, credentials);
        await raiseVersion(tx, scope);
        await this.#record(tx, scope, 'handler.set', name, by, `on ${body.on.join(',')}`);
        const written = (await readHandlers(tx, scope, [name])).get(name)!;
        return { made, entry: written, definition: openDefinition(this.#parts.sealer, written) };
      }),
    );
  }

  async #checked(scope: Scope, name: string, body: PutHandlerBody, by: AuditSource): Promise<HandlerRow> {
    const { database, sealer, ids, creation } = this.#parts;
    const { on, when, ...rest } = body;
    const definition = rest as Definition;
    const faults = patternFaults(on);
    if (faults.length > 0)
      throw Errors.invalidRequest(faults.map(({ pointer, message }) => `${pointer} ${message}`).join('; '), {
        errors: faults,
      });
    if (when !== undefined) this.#compile(when);
    documentOf(definition);
    const run = await creation.prepare(submitOf({ ...scope, name }, definition));
    await sealer.prepare(scope.org_id);
    const revision = ids.next('rev');
    const now = database.now();
    return {
      ...scope,
      name,
      handler_id: ids.next('hdl'),
      revision,
      patterns: JSON.stringify([...new Set(on)]),
      predicate: when ?? null,
      about: JSON.stringify(aboutOf(definition, run.kind)),
      // The kind as it was found, so that a later plugin does not make another document of it.
      definition: sealDefinition(
        sealer,
        scope,
        { name, revision },
        definition.source === undefined ? definition : { ...definition, kind: run.kind },
      ),
      set_by: by.principal?.id ?? null,
      created_at: now,
      set_at: now,
    };
  }

  /** Throws `expression_invalid` that points at the member. */
  #compile(when: string): void {
    try {
      this.#parts.expressions.compile(when, ROOTS);
    } catch (error) {
      if (!isServiceError(error)) throw error;
      const errors = [{ pointer: '/when', message: error.message }];
      throw new ServiceError(error.definition, `when does not compile: ${error.message}`, { ...error.extras, errors });
    }
  }

  /** Runs that it started go on; what waits for a place never will. Throws `not_found`. */
  async remove(scope: ProjectScope, name: string, by: AuditSource): Promise<void> {
    if (!isName(name)) throw noHandler(name);
    const { bus, database } = this.#parts;
    await database.transaction(async (tx) => {
      await bus.lock(tx, scope);
      if (!(await removeHandler(tx, scope, name))) throw noHandler(name);
      await this.#refuseQueued(tx, scope, name);
      await writeCredentials(tx, scope, name, {});
      await raiseVersion(tx, scope);
      await this.#record(tx, scope, 'handler.delete', name, by);
    });
  }

  /** There may be 100,000 of them. */
  async #refuseQueued(tx: Transaction, scope: ProjectScope, name: string): Promise<void> {
    const removed = { reaction: 'handler', name, state: 'refused', reason: 'the handler was removed' } as const;
    for (let after = 0; ; ) {
      const some = await queuedFor(tx, scope, name, after, MOST_AT_ONCE);
      const deliveries = some.map(({ event_id }) => ({ ...removed, event_id }));
      await this.#parts.bus.settleDeliveries(tx, scope, deliveries);
      if (some.length < MOST_AT_ONCE) break;
      after = some.at(-1)!.event_seq;
    }
    await removeQueuedFor(tx, scope, name);
  }

  /** Throws `not_found`. */
  async read(scope: ProjectScope, name: string): Promise<Handler> {
    const row = isName(name) ? (await readHandlers(this.#parts.database, scope, [name])).get(name) : undefined;
    if (row === undefined) throw noHandler(name);
    await this.#parts.sealer.prepare(scope.org_id);
    return { entry: row, definition: openDefinition(this.#parts.sealer, row) };
  }

  async list(scope: ProjectScope, page: Page): Promise<{ items: HandlerEntry[]; next_cursor?: string }> {
    const rows = await listHandlers(this.#parts.database, scope, page);
    return pageOf(rows, page.limit, ({ handler_id }) => handler_id);
  }

  /** Handler runs of the project that have not ended, and deliveries that wait for a place. */
  async load(scope: ProjectScope): Promise<{ in_flight: number; queued: number }> {
    const { database } = this.#parts;
    return { in_flight: await countOpen(database, scope), queued: await countQueued(database, scope) };
  }

  #record(tx: Transaction, scope: ProjectScope, action: string, subject: string, by: AuditSource, detail?: string) {
    const { org_id, project_id } = scope;
    return this.#parts.audit.record(tx, {
      ...by,
      org_id,
      project_id,
      action,
      subject,
      ...(detail === undefined ? {} : { detail }),
    });
  }
}

/** Throws `handlers_full`. */
async function refuseTooMany(tx: Transaction, scope: ProjectScope, made: boolean): Promise<void> {
  const { handlers, predicate_bytes } = await sizeOf(tx, scope);
  if (made && handlers > MOST_HANDLERS) throw HandlerErrors.handlersFull(`the project has ${MOST_HANDLERS} handlers`);
  if (predicate_bytes <= MOST_PREDICATE_BYTES) return;
  const message = `makes ${predicate_bytes} bytes of all predicates of the project; it may have ${MOST_PREDICATE_BYTES}`;
  throw HandlerErrors.handlersFull(`when ${message}`, { errors: [{ pointer: '/when', message }] });
}

/** The token under which the routes find them. */
export const OwnHandlers = token<Handlers>('handlers.Handlers');
