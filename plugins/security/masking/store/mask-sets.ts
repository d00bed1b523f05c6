import {
  chunks,
  inList,
  insertRows,
  type Queries,
  type SealContext,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { MaskedRun } from '../contract.ts';

type Scope = Omit<MaskedRun, 'run_id'>;

const sealContext = ({ org_id, project_id }: Scope, set_id: string): SealContext => ({
  org_id,
  project_id,
  table: 'masking_sets',
  kind: 'masking',
  name: set_id,
  field: 'sealed',
});

/** Stores a set. The org's keys must have been loaded. */
export async function insertSet(
  tx: Transaction,
  sealer: Sealer,
  scope: Scope,
  set: { set_id: string; values: readonly string[]; now: number },
): Promise<void> {
  const sealed = sealer.seal(sealContext(scope, set.set_id), Buffer.from(JSON.stringify(set.values)));
  await tx.write('INSERT INTO masking_sets (set_id, org_id, project_id, sealed, created_at) VALUES (?, ?, ?, ?, ?)', [
    set.set_id,
    scope.org_id,
    scope.project_id,
    sealed,
    set.now,
  ]);
}

/** A set of a run. Its values are no secret any more after `expires_at`; null: they always are. */
export interface SetLink {
  run_id: string;
  set_id: string;
  expires_at: number | null;
}

/** Sets are removed so long after they have expired that no server can still regard them as valid. */
const REMOVED_AFTER_MS = 3_600_000;

/** Adds sets to runs. Adding one twice has no effect. */
export async function linkRuns(tx: Transaction, links: readonly SetLink[]): Promise<void> {
  const rows = links.map(({ run_id, set_id, expires_at }) => [run_id, set_id, expires_at]);
  await insertRows(tx, `${tx.sql.insert_ignore} masking_runs`, ['run_id', 'set_id', 'expires_at'], rows);
}

/** The sets of a run that have not expired. */
export const linksOfRun = (on: Pick<Queries, 'read'>, run_id: string, now: number): Promise<SetLink[]> =>
  on.read<SetLink>(
    `SELECT run_id, set_id, expires_at FROM masking_runs
     WHERE run_id = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY set_id`,
    [run_id, now],
  );

/** Removes sets of runs that expired long ago. Every link of a set expires with it, so no run reads the set any more. */
export async function removeExpired(tx: Transaction, run_ids: readonly string[], now: number): Promise<void> {
  for (const some of chunks(run_ids)) {
    const list = inList(some);
    const expired = await tx.read<{ set_id: string }>(
      `SELECT DISTINCT set_id FROM masking_runs WHERE run_id IN ${list.placeholders} AND expires_at < ?`,
      [...list.params, now - REMOVED_AFTER_MS],
    );
    for (const sets of chunks(expired.map(({ set_id }) => set_id))) {
      const those = inList(sets);
      await tx.write(`DELETE FROM masking_runs WHERE set_id IN ${those.placeholders}`, those.params);
      await tx.write(`DELETE FROM masking_sets WHERE set_id IN ${those.placeholders}`, those.params);
    }
  }
}

/** Returns the sets of each run that have not expired. Runs without any are left out. */
export async function setsOfRuns(
  on: Pick<Queries, 'read'>,
  run_ids: readonly string[],
  now: number,
): Promise<Map<string, string[]>> {
  const sets = new Map<string, string[]>();
  for (const batch of chunks(run_ids)) {
    const list = inList(batch);
    const rows = await on.read<{ run_id: string; set_id: string }>(
      `SELECT run_id, set_id FROM masking_runs
       WHERE run_id IN ${list.placeholders} AND (expires_at IS NULL OR expires_at > ?) ORDER BY run_id, set_id`,
      [...list.params, now],
    );
    for (const { run_id, set_id } of rows) sets.set(run_id, [...(sets.get(run_id) ?? []), set_id]);
  }
  return sets;
}

export const maskedBetween = (
  on: Pick<Queries, 'read'>,
  after: string,
  until: string,
  limit: number,
): Promise<Pick<MaskedRun, 'run_id' | 'project_id'>[]> =>
  on.read<Pick<MaskedRun, 'run_id' | 'project_id'>>(
    `SELECT r.run_id, MIN(s.project_id) AS project_id FROM masking_runs r JOIN masking_sets s ON s.set_id = r.set_id
     WHERE r.run_id > ? AND r.run_id < ? GROUP BY r.run_id ORDER BY r.run_id LIMIT ${Math.trunc(limit)}`,
    [after, until],
  );

export async function unlinkRuns(on: Pick<Queries, 'write'>, run_ids: readonly string[]): Promise<number> {
  let removed = 0;
  for (const some of chunks(run_ids)) {
    const list = inList(some);
    removed += await on.write(`DELETE FROM masking_runs WHERE run_id IN ${list.placeholders}`, list.params);
  }
  return removed;
}

/** Reads the values of a set. Throws `sealed_value_unreadable`, also for a set of another project. */
export async function readSet(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  scope: Scope,
  set_id: string,
): Promise<string[]> {
  const [row] = await on.read<{ sealed: Buffer }>('SELECT sealed FROM masking_sets WHERE set_id = ?', [set_id]);
  if (!row) throw new Error(`the values of set ${set_id} no longer exist, so its runs cannot be masked`);
  return JSON.parse(sealer.open(sealContext(scope, set_id), row.sealed).toString()) as string[];
}
