import type { CachedReads, Database, Queries, Transaction } from '../../../../kernel/contracts/index.ts';
import { flowOf, perWorkerOf } from '../domain/flow.ts';
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
  concurrency: number | null;
  /** JSON. */
  flow: string | null;
  /** JSON. */
  input: string | null;
  registered_at: number;
  seen_at: number;
}

/** A row of a list, without the schema, which may have 64 KiB. */
export interface ListedFunction extends Omit<FunctionRow, 'input'> {
  /** New runs begin with this version. */
  is_current: number;
}

/** Versions of a workflow that are kept, the newest first. */
const MAX_VERSIONS = 20;
/** Names that the workers of one org or project can register. */
const MAX_NAMES = 1000;
/** A longer schema is read each time. */
const MAX_CACHED_INPUT = 4096;
const SMALL_INPUT = `CASE WHEN LENGTH(input) <= ${MAX_CACHED_INPUT} THEN input END`;
const COLUMNS = 'name, version, versions, timeout, concurrency, flow, input, registered_at, seen_at';
/** The rows that a project can use: its own, those of its org, and those of the built-in agent. */
const visible = (table: string): string =>
  `((${table}.org_id = '' AND ${table}.project_id = '') OR (${table}.org_id = ? AND ${table}.project_id IN ('', ?)))`;
const VISIBLE = visible('functions_functions');
/** Those who can register one version for a project: workers of the project, of its org, and the built-in agent. */
const OWNERS = 3;
/** A later registration hides an earlier one of the same version. */
const LISTED = `name, version, versions, timeout, concurrency, flow, registered_at, seen_at, NOT EXISTS (
  SELECT 1 FROM functions_functions n WHERE n.name = functions_functions.name AND ${visible('n')}
    AND (n.seen_at > functions_functions.seen_at OR (n.seen_at = functions_functions.seen_at AND n.version > functions_functions.version))
) AS is_current`;

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
      for (const { name, version, versions, timeout, input, ...options } of functions)
        await tx.write(
          `INSERT INTO functions_functions (org_id, project_id, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
           ${tx.sql.upsert(['org_id', 'project_id', 'name', 'version'], ['versions', 'timeout', 'concurrency', 'flow', 'input', 'seen_at'])}`,
          [
            owner.org_id,
            owner.project_id,
            name,
            version,
            versions,
            timeout ?? null,
            perWorkerOf(options) ?? null,
            flowText(options),
            input === undefined ? null : JSON.stringify(input),
            now,
            now,
          ],
        );
      await removeOldVersions(tx, owner, functions);
      await assertFewNames(tx, owner);
    });
  }

  /**
   * The version of a workflow that a project runs now: that of the worker that started last. Every submit needs it, and it
   * seldom changes.
   */
  async newest(on: CachedReads, owner: FunctionOwner, name: string): Promise<FunctionRow | undefined> {
    const key = `functions.newest ${owner.org_id} ${owner.project_id} ${name}`;
    const newest = await on.cached(key, ['functions_functions'], () => readNewest(on, owner, name, SMALL_INPUT));
    return Number(newest?.has_large_input) === 1 ? readNewest(on, owner, name, 'input') : newest;
  }

  /** Each version once, in the order of names and versions. */
  async list(
    { org_id, project_id }: FunctionOwner,
    after: FunctionKey | undefined,
    limit: number,
  ): Promise<ListedFunction[]> {
    const rest = after === undefined ? '' : 'AND (name > ? OR (name = ? AND version > ?))';
    const most = Math.trunc(limit);
    const rows = await this.#database.read<ListedFunction>(
      `SELECT ${LISTED} FROM functions_functions WHERE ${VISIBLE} ${rest}
       ORDER BY name, version, seen_at DESC, org_id DESC, project_id DESC LIMIT ${OWNERS * most}`,
      [
        ...[org_id, project_id, org_id, project_id],
        ...(after === undefined ? [] : [after.name, after.name, after.version]),
      ],
    );
    return withoutRepeats(rows).slice(0, most);
  }

  /** Each version of one workflow once, the newest first. */
  async versions({ org_id, project_id }: FunctionOwner, name: string): Promise<ListedFunction[]> {
    const rows = await this.#database.read<ListedFunction>(
      `SELECT ${LISTED} FROM functions_functions WHERE ${VISIBLE} AND name = ?
       ORDER BY seen_at DESC, version DESC, org_id DESC, project_id DESC LIMIT ${OWNERS * MAX_VERSIONS}`,
      [org_id, project_id, org_id, project_id, name],
    );
    return withoutRepeats(rows);
  }

  /** Those who registered the workflow for the project: its own workers, workers of its org, and the built-in agent. */
  async owners({ org_id, project_id }: FunctionOwner, name: string): Promise<FunctionOwner[]> {
    return this.#database.read<FunctionOwner>(
      `SELECT DISTINCT org_id, project_id FROM functions_functions WHERE ${VISIBLE} AND name = ? ORDER BY org_id, project_id`,
      [org_id, project_id, name],
    );
  }

  /** Removes all versions that these owners registered. False without any. */
  async remove(tx: Transaction, owners: readonly FunctionOwner[], name: string): Promise<boolean> {
    let removed = 0;
    // One by one: the key begins with the owner.
    for (const { org_id, project_id } of owners)
      removed += await tx.write('DELETE FROM functions_functions WHERE org_id = ? AND project_id = ? AND name = ?', [
        org_id,
        project_id,
        name,
      ]);
    return removed > 0;
  }
}

function flowText(options: Parameters<typeof flowOf>[0]): string | null {
  const flow = flowOf(options);
  return flow === undefined ? null : JSON.stringify(flow);
}

interface NewestRow extends FunctionRow {
  has_large_input: number;
}

/** The schema of one row alone is read: each may have 64 KiB. */
async function readNewest(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: FunctionOwner,
  name: string,
  input: string,
): Promise<NewestRow | undefined> {
  const [row] = await on.read<NewestRow>(
    `SELECT name, version, versions, timeout, concurrency, flow, registered_at, seen_at, ${input} AS input,
       LENGTH(COALESCE(input, '')) > ${MAX_CACHED_INPUT} AS has_large_input
     FROM functions_functions WHERE (org_id, project_id, name, version) = (
       SELECT org_id, project_id, name, version FROM functions_functions WHERE name = ? AND ${VISIBLE}
       ORDER BY seen_at DESC, version DESC LIMIT 1)`,
    [name, org_id, project_id],
  );
  return row;
}

/** The first row of each version. Two owners may have registered the same one. */
function withoutRepeats(rows: readonly ListedFunction[]): ListedFunction[] {
  const firsts = new Map<string, ListedFunction>();
  for (const row of rows) {
    const key = `${row.name} ${row.version}`;
    if (!firsts.has(key)) firsts.set(key, row);
  }
  return [...firsts.values()];
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
