import {
  type Database,
  decodeCursor,
  Errors,
  pageOf,
  retryUnknownCommit,
  type Sealer,
} from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../../platform/audit/contract.ts';
import { checkName, checkValue } from '../domain/entry-rules.ts';
import { listEntries, readEntry, removeEntry, type StateEntry, type StateOwner, writeEntry } from '../store/entries.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

export interface EntityPage {
  entries: Omit<StateEntry, 'value'>[];
  next_cursor?: string;
}

/** The state of a project for people and programs outside of runs. Scripts use the same entries with `svc state --entity`. */
export class ProjectState {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #audit: Pick<Audit, 'record'>;

  constructor(database: Database, sealer: Sealer, audit: Pick<Audit, 'record'>) {
    this.#database = database;
    this.#sealer = sealer;
    this.#audit = audit;
  }

  /** Throws `not_found`. */
  async read(scope: Scope, entity: string, key: string): Promise<StateEntry> {
    await this.#sealer.prepare(scope.org_id);
    const entry = await readEntry(this.#database, this.#sealer, ownerOf(scope, entity), checkName('/path/key', key));
    if (!entry) throw entryNotFound(entity, key);
    return entry;
  }

  /** Answers whether the entry is new. Throws `payload_too_large` beyond 256 KiB. */
  async write(scope: Scope, entity: string, key: string, value: string, by: AuditSource): Promise<boolean> {
    const owner = ownerOf(scope, entity);
    checkName('/path/key', key);
    checkValue(value);
    const [database, sealer] = [this.#database, this.#sealer];
    await sealer.prepare(scope.org_id);
    const writer = { trusted: true, written_by: by.principal?.id ?? null, at: database.now() };
    return retryUnknownCommit(() =>
      database.transaction(async (tx) => {
        const present = await readEntry(tx, sealer, owner, key);
        await writeEntry(tx, sealer, owner, key, value, writer);
        await this.#audit.record(tx, auditEntry('state.set', owner, key, by));
        return present === undefined;
      }),
    );
  }

  /** Throws `not_found`. */
  async remove(scope: Scope, entity: string, key: string, by: AuditSource): Promise<void> {
    const owner = ownerOf(scope, entity);
    checkName('/path/key', key);
    await retryUnknownCommit(() =>
      this.#database.transaction(async (tx) => {
        if (!(await removeEntry(tx, owner, key))) throw entryNotFound(entity, key);
        await this.#audit.record(tx, auditEntry('state.delete', owner, key, by));
      }),
    );
  }

  async list(
    scope: Scope,
    entity: string,
    { limit, cursor }: { limit: number; cursor: string | undefined },
  ): Promise<EntityPage> {
    const after = decodeCursor(cursor, 'text')?.[0];
    const rows = await listEntries(this.#database, ownerOf(scope, entity), after, limit + 1);
    const { items, ...rest } = pageOf(rows, limit, ({ key }) => key);
    return { entries: items, ...rest };
  }
}

const ownerOf = ({ org_id, project_id }: Scope, entity: string): StateOwner => ({
  org_id,
  project_id,
  run_id: '',
  entity: checkName('/path/entity', entity),
});

const auditEntry = (action: string, { org_id, project_id, entity }: StateOwner, key: string, by: AuditSource) => ({
  ...by,
  org_id,
  project_id,
  action,
  subject: `${entity}/${key}`,
});

const entryNotFound = (entity: string, key: string) =>
  Errors.notFound(`no state ${entity.slice(0, 255)}/${key.slice(0, 255)} in this project`);
