import {
  chunks,
  inList,
  insertRows,
  type Queries,
  type SealedPlace,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { MaskedRun } from '../contract.ts';

type Scope = Omit<MaskedRun, 'run_id'>;

const place = ({ org_id, project_id }: Scope, set_id: string): SealedPlace => ({
  org_id,
  project_id,
  table: 'masking_sets',
  kind: 'masking',
  name: set_id,
  field: 'sealed',
});

/** The org's keys must be ready. */
export async function insertSet(
  tx: Transaction,
  sealer: Sealer,
  scope: Scope,
  set: { set_id: string; values: readonly string[]; now: number },
): Promise<void> {
  const sealed = sealer.seal(place(scope, set.set_id), Buffer.from(JSON.stringify(set.values)));
  await tx.write('INSERT INTO masking_sets (set_id, org_id, project_id, sealed, created_at) VALUES (?, ?, ?, ?, ?)', [
    set.set_id,
    scope.org_id,
    scope.project_id,
    sealed,
    set.now,
  ]);
}

/** The same for many runs. */
export async function linkRuns(tx: Transaction, links: readonly { run_id: string; set_id: string }[]): Promise<void> {
  const rows = links.map(({ run_id, set_id }) => [run_id, set_id]);
  await insertRows(tx, `${tx.sql.insert_ignore} masking_runs`, ['run_id', 'set_id'], rows);
}

/** Adding a set to a run twice has no effect. */
export async function linkRun(tx: Transaction, run_id: string, set_id: string): Promise<void> {
  await tx.write(`${tx.sql.insert_ignore} masking_runs (run_id, set_id) VALUES (?, ?)`, [run_id, set_id]);
}

/** The sets of each run. Runs without any are left out. */
export async function setsOfRuns(on: Queries, run_ids: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const some of chunks(run_ids)) {
    const list = inList(some);
    const rows = await on.read<{ run_id: string; set_id: string }>(
      `SELECT run_id, set_id FROM masking_runs WHERE run_id IN ${list.marks} ORDER BY run_id, set_id`,
      list.params,
    );
    for (const { run_id, set_id } of rows) found.set(run_id, [...(found.get(run_id) ?? []), set_id]);
  }
  return found;
}

/** The values of a set. Throws `sealed_value_unreadable`, also for a set of another project. */
export async function readSet(on: Queries, sealer: Sealer, scope: Scope, set_id: string): Promise<string[]> {
  const [row] = await on.read<{ sealed: Buffer }>('SELECT sealed FROM masking_sets WHERE set_id = ?', [set_id]);
  if (!row) throw new Error(`the values of set ${set_id} no longer exist, so its runs cannot be masked`);
  return JSON.parse(sealer.open(place(scope, set_id), row.sealed).toString()) as string[];
}
