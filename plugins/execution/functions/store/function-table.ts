import type { Database, Queries, Transaction } from '../../../../kernel/contracts/index.ts';
import type { FunctionRegistration } from '../domain/registration.ts';
import { functionsInvalid } from '../errors.ts';

export interface FunctionOwner {
  /** Empty: every org. */
  org_id: string;
  /** Empty: every project of the org. */
  project_id: string;
}

export interface FunctionKey {
  name: string;
  version: string;
}

export interface FunctionRow extends FunctionKey {
  versions: 'replay' | 'pinned';
  timeout: string | null;
  /** JSON. */
  input: string | null;
  registered_at: number;
  seen_at: number;
}

/** A row of a list, without the schema, which may have 64 KiB. */
export type ListedFunction = Omit<FunctionRow, 'input'>;

/** Versions of a workflow that are kept, the newest first. */
const MAX_VERSIONS = 20;
/** Names that the workers of one org or project can register. */
const MAX_NAMES = 1000;
const COLUMNS = 'name, version, versions, timeout, input, registered_at, seen_at';
/** The rows that a project can use: its own, those of its org, and those of the built-in agent. */
const VISIBLE = "((org_id = '' AND project_id = '') OR (org_id = ? AND project_id IN ('', ?)))";

/** The table functions_functions. */
export class FunctionTable {
  readonly #database: Pick<Database, 'now' | 'read' | 'transaction'>;

  constructor(database: Pick<Database, 'now' | 'read' | 'transaction'>) {
    this.#database = database;
  }

  /** Stores what a worker serves. `registered_at` stays that of the first registration; the last one decides what is current. */
  register(owner: FunctionOwner, functions: readonly FunctionRegistration[]): Promise<void> {
    return this.#database.transaction(async (tx) => {
      const now = this.#database.now();
      for (const { name, version, versions, timeout, input } of functions)
        await tx.write(
          `INSERT INTO functions_functions (org_id, project_id, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
           ${tx.sql.upsert(['org_id', 'project_id', 'name', 'version'], ['versions', 'timeout', 'input', 'seen_at'])}`,
          [
            owner.org_id,
            owner.project_id,
            name,
            version,
            versions,
            timeout ?? null,
            input === undefined ? null : JSON.stringify(input),
            now,
            now,
          ],
        );
      await removeOldVersions(tx, owner, functions);
      await assertFewNames(tx, owner);
    });
  }

  /** The version of a workflow that a project runs now: that of the worker that started last. */
  async newest(on: Pick<Queries, 'read'>, owner: FunctionOwner, name: string): Promise<FunctionRow | undefined> {
    // One row, because each may have a schema of 64 KiB.
    const rows = await on.read<FunctionRow>(
      `SELECT ${COLUMNS} FROM functions_functions WHERE name = ? AND ${VISIBLE} ORDER BY seen_at DESC, version DESC LIMIT 1`,
      [name, owner.org_id, owner.project_id],
    );
    return rows[0];
  }

  /** In the order of names and versions. */
  list(owner: FunctionOwner, after: FunctionKey | undefined, limit: number) {
    const rest = after === undefined ? '' : 'AND (name > ? OR (name = ? AND version > ?))';
    return this.#database.read<ListedFunction>(
      `SELECT name, version, versions, timeout, registered_at, seen_at FROM functions_functions WHERE ${VISIBLE} ${rest} ORDER BY name, version LIMIT ${Math.trunc(limit)}`,
      [owner.org_id, owner.project_id, ...(after === undefined ? [] : [after.name, after.name, after.version])],
    );
  }
}

async function removeOldVersions(
  tx: Transaction,
  { org_id, project_id }: FunctionOwner,
  functions: readonly FunctionRegistration[],
): Promise<void> {
  for (const { name } of functions) {
    const [oldest] = await tx.read<{ seen_at: number }>(
      `SELECT seen_at FROM functions_functions WHERE org_id = ? AND project_id = ? AND name = ?
       ORDER BY seen_at DESC LIMIT 1 OFFSET ${MAX_VERSIONS}`,
      [org_id, project_id, name],
    );
    if (oldest !== undefined)
      await tx.write(
        'DELETE FROM functions_functions WHERE org_id = ? AND project_id = ? AND name = ? AND seen_at <= ?',
        [org_id, project_id, name, oldest.seen_at],
      );
  }
}

async function assertFewNames(tx: Transaction, { org_id, project_id }: FunctionOwner): Promise<void> {
  const names = await tx.read(
    `SELECT DISTINCT name FROM functions_functions WHERE org_id = ? AND project_id = ? ORDER BY name LIMIT ${MAX_NAMES + 1}`,
    [org_id, project_id],
  );
  if (names.length > MAX_NAMES)
    throw functionsInvalid(`the workers here have registered more than ${MAX_NAMES} workflow names`);
}
