import {
  type CachedQueries,
  type Database,
  insertRows,
  type Queries,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import { deleteBatch, timeOfId } from '../../../platform/retention/contract.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';

type Reads = Pick<Queries, 'read'>;

/** The revisions of a project and of its org whose values a run sees. Revision 0 has no variables. */
export interface Revisions {
  project_revision: number;
  org_revision: number;
}

/** Reads the current revisions in one statement. */
export function currentRevisions(
  on: Pick<CachedQueries, 'read' | 'cached'>,
  { org_id, project_id }: ProjectScope,
): Promise<Revisions> {
  const load = async (): Promise<Revisions> => {
    const rows = await on.read<{ owner_id: string; revision: number }>(
      'SELECT owner_id, revision FROM variables_owners WHERE owner_id IN (?, ?)',
      [project_id, org_id],
    );
    const revisionOf = (id: string) => Number(rows.find(({ owner_id }) => owner_id === id)?.revision ?? 0);
    return { project_revision: revisionOf(project_id), org_revision: revisionOf(org_id) };
  };
  return on.cached(`variables ${org_id} ${project_id}`, ['variables_owners'], load);
}

export interface RunRow extends ProjectScope, Revisions {
  run_id: string;
}

/** Runs without a row see no variables. */
export const insertRuns = (tx: Transaction, rows: readonly RunRow[]): Promise<number> =>
  insertRows(
    tx,
    'INSERT INTO variables_runs',
    ['run_id', 'org_id', 'project_id', 'project_revision', 'org_revision'],
    rows.map((row) => [row.run_id, row.org_id, row.project_id, row.project_revision, row.org_revision]),
  );

export async function readRunRevisions(on: Reads, run_id: string): Promise<Revisions | undefined> {
  const [row] = await on.read<Revisions>('SELECT project_revision, org_revision FROM variables_runs WHERE run_id = ?', [
    run_id,
  ]);
  return row && { project_revision: Number(row.project_revision), org_revision: Number(row.org_revision) };
}

/** Reads the values of an owner as they were in a revision. One statement, so that a change in between cannot split them. */
export async function valuesIn(on: Reads, owner_id: string, revision: number): Promise<Record<string, string>> {
  const rows = await on.read<{ name: string; value: string }>(
    `SELECT name, value FROM variables_variables WHERE owner_id = ? AND set_in <= ?
     UNION ALL
     SELECT name, value FROM variables_replaced WHERE owner_id = ? AND set_in <= ? AND replaced_in > ?`,
    [owner_id, revision, owner_id, revision, revision],
  );
  const sorted = rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries(sorted.map(({ name, value }) => [name, value]));
}

/** Clocks of servers may differ, so the time in an id is not exact. */
const MARGIN_MS = 24 * 3_600_000;

/**
 * Removes the replaced values that no run of their org can see, because every run that remains is younger than the
 * replacement.
 */
export async function* removeUnseen(database: Database, before: number, limit: number): AsyncIterable<number> {
  const until = Math.min(before, database.now() - MARGIN_MS);
  const orgs = await database.read<{ org_id: string }>(
    'SELECT DISTINCT org_id FROM variables_replaced WHERE replaced_at < ? ORDER BY org_id',
    [until],
  );
  for (const { org_id } of orgs) {
    const [oldest] = await database.read<{ run_id: string | null }>(
      'SELECT MIN(run_id) AS run_id FROM variables_runs WHERE org_id = ?',
      [org_id],
    );
    const run_id = oldest?.run_id ?? null;
    const unseen = run_id === null ? until : Math.min(until, timeOfId(run_id) - MARGIN_MS);
    for (let removed = limit; removed >= limit; ) {
      const condition = 'org_id = ? AND replaced_at < ?';
      removed = await deleteBatch(database, 'variables_replaced', condition, [org_id, unseen], limit);
      yield removed;
    }
  }
}
