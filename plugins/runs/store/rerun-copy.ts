import type { Database, Queries, Sealer, Transaction } from '../../../kernel/contracts/index.ts';
import type { CopiedPrefix, Prefix, RecordedSite } from '../contract.ts';
import { writeCell } from './cells.ts';
import { cellVersions, insertCellVersion } from './cell-versions.ts';
import { insertSealed, readRecords, sealRecord } from './journal.ts';
import { mustChange } from './run-rows.ts';

/** Records in memory at a time. */
const AT_ONCE = 64;

/** The activities of a run that are no children. */
export async function readOwnActivities(on: Pick<Queries, 'read'>, run_id: string): Promise<string[]> {
  const rows = await on.read<{ activity_id: string }>(
    'SELECT activity_id FROM runs_activities WHERE run_id = ? AND parent IS NULL',
    [run_id],
  );
  return rows.map(({ activity_id }) => activity_id);
}

export const noteRerun = (tx: Transaction, run_id: string, rerun_of: string): Promise<void> =>
  mustChange(tx, 1, 'UPDATE runs_runs SET rerun_of = ? WHERE run_id = ?', [rerun_of, run_id]);

/** A journal without outcomes. */
export function readSites(
  on: Pick<Queries, 'read'>,
  at: { run_id: string; activity_id: string },
): Promise<RecordedSite[]> {
  return on.read<RecordedSite>(
    `SELECT position, kind, name, ordinal, exit_code FROM runs_journal WHERE run_id = ? AND activity_id = ?
     ORDER BY position`,
    [at.run_id, at.activity_id],
  );
}

/** The executor of an activity of a run that is no child; undefined when there is none. */
export async function executorOf(
  on: Pick<Queries, 'read'>,
  at: { run_id: string; activity_id: string },
): Promise<string | undefined> {
  const [row] = await on.read<{ executor: string }>(
    'SELECT executor FROM runs_activities WHERE activity_id = ? AND run_id = ? AND parent IS NULL',
    [at.activity_id, at.run_id],
  );
  return row?.executor;
}

/** An unclaimed activity gets a journal. It counts as one pass: the next claim gets the records. */
export const noteResumed = (tx: Transaction, activity_id: string): Promise<void> =>
  mustChange(
    tx,
    1,
    `UPDATE runs_activities SET epoch = 1, passes = 1 WHERE activity_id = ? AND state = 'pending' AND epoch = 0`,
    [activity_id],
  );

/** Copies the records of a prefix into the journal of an unclaimed activity, sealed for their new place. */
export async function copyRecords(tx: Transaction, sealer: Sealer, prefix: CopiedPrefix): Promise<void> {
  const { org_id, project_id, from, to, records } = prefix;
  const [old, place] = [
    { org_id, project_id, ...from },
    { org_id, project_id, ...to },
  ];
  for (let first = 0; first < records.length; first += AT_ONCE) {
    const last = Math.min(first + AT_ONCE, records.length) - 1;
    const read = await readRecords(tx, sealer, old, first, last);
    const sealed = read.map(({ record }) => sealRecord(sealer, place, 1, record));
    const inserted = await insertSealed(tx, sealed, (index) => read[index]!.recorded_at);
    if (inserted !== last - first + 1) throw new Error(`${inserted} records from ${first} on instead of all`);
  }
}

/** The run's own cells at the end of the prefix, with their history. */
export async function copyCells(
  tx: Transaction,
  sealer: Sealer,
  database: Pick<Database, 'now'>,
  prefix: CopiedPrefix,
  trusted: boolean,
): Promise<void> {
  const { org_id, project_id, from, to, records }: Prefix & { to: CopiedPrefix['to'] } = prefix;
  const scope = { org_id, project_id };
  const versions = await cellVersions(tx, sealer, { ...scope, ...from, position: records.length });
  const last = new Map<string, string | undefined>();
  for (const { position, key, value } of versions) {
    await insertCellVersion(tx, sealer, { ...scope, ...to, position }, key, value);
    last.set(key, value);
  }
  const by = { trusted, written_by: to.activity_id, at: database.now() };
  for (const [key, value] of last)
    if (value !== undefined) await writeCell(tx, sealer, { ...scope, run_id: to.run_id, entity: '' }, key, value, by);
}
