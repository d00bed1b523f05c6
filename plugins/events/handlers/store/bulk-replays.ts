import type { Queries, Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { BulkReplay, ReplayFilter, ReplayState } from '../domain/bulk-replay.ts';

const READ = `replay_id, org_id, project_id, state, filter, requested_by, before_seq, most, position, delivered, declined,
  refused, created_at, updated_at`;

type Row = Omit<BulkReplay, 'filter'> & { filter: string };

const parse = (row: Row): BulkReplay => ({
  ...row,
  filter: JSON.parse(row.filter) as ReplayFilter,
  before_seq: Number(row.before_seq),
  most: Number(row.most),
  delivered: Number(row.delivered),
  declined: Number(row.declined),
  refused: Number(row.refused),
  created_at: Number(row.created_at),
  updated_at: Number(row.updated_at),
});

/** The project's bus is locked. */
export async function insertBulkReplay(tx: Transaction, replay: BulkReplay): Promise<void> {
  const { filter, ...row } = replay;
  const values = Object.entries({ ...row, filter: JSON.stringify(filter) });
  await tx.write(
    `INSERT INTO handlers_replays (${values.map(([column]) => column).join(', ')})
     VALUES (${values.map(() => '?').join(', ')})`,
    values.map(([, value]) => value),
  );
}

export async function findBulkReplay(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  replay_id: string,
): Promise<BulkReplay | undefined> {
  const [row] = await on.read<Row>(`SELECT ${READ} FROM handlers_replays WHERE project_id = ? AND replay_id = ?`, [
    project_id,
    replay_id,
  ]);
  return row && parse(row);
}

/** Lists the replays of a project, newest first. */
export async function listBulkReplays(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  { limit, before }: { limit: number; before: string | undefined },
): Promise<BulkReplay[]> {
  const rows = await on.read<Row>(
    `SELECT ${READ} FROM handlers_replays WHERE project_id = ? ${before === undefined ? '' : 'AND replay_id < ?'}
     ORDER BY replay_id DESC LIMIT ${Math.trunc(limit)}`,
    [project_id, ...(before === undefined ? [] : [before])],
  );
  return rows.map(parse);
}

/** Lists the running replays of all projects, after one. */
export async function listRunningReplays(
  on: Pick<Queries, 'read'>,
  after: BulkReplay | undefined,
  limit: number,
): Promise<BulkReplay[]> {
  const rows = await on.read<Row>(
    `SELECT ${READ} FROM handlers_replays WHERE state = 'running' AND replay_id > ?
     ORDER BY replay_id LIMIT ${Math.trunc(limit)}`,
    [after?.replay_id ?? ''],
  );
  return rows.map(parse);
}

export async function countRunningReplays(tx: Transaction, { project_id }: ProjectScope): Promise<number> {
  const [row] = await tx.read<{ n: number }>(
    `SELECT COUNT(*) AS n FROM handlers_replays WHERE project_id = ? AND state = 'running'`,
    [project_id],
  );
  return Number(row!.n);
}

/** Removes finished replays but the newest ones. */
export async function removeOldReplays(tx: Transaction, { project_id }: ProjectScope, retained: number): Promise<void> {
  const [last] = await tx.read<{ replay_id: string }>(
    `SELECT replay_id FROM handlers_replays WHERE project_id = ? ORDER BY replay_id DESC LIMIT 1 OFFSET ${Math.trunc(retained)}`,
    [project_id],
  );
  if (last)
    await tx.write(`DELETE FROM handlers_replays WHERE project_id = ? AND replay_id <= ? AND state <> 'running'`, [
      project_id,
      last.replay_id,
    ]);
}

/** What a step of a replay has done. */
export interface ReplayProgress extends Pick<BulkReplay, 'position' | 'delivered' | 'declined' | 'refused'> {
  state: ReplayState;
}

/** Records a step. Returns false when the replay is no longer where this server has read it. */
export async function recordProgress(
  tx: Pick<Queries, 'write'>,
  from: BulkReplay,
  { position, delivered, declined, refused, state }: ReplayProgress,
  now: number,
): Promise<boolean> {
  const changed = await tx.write(
    `UPDATE handlers_replays SET position = ?, delivered = ?, declined = ?, refused = ?, state = ?, updated_at = ?
     WHERE project_id = ? AND replay_id = ? AND state = 'running' AND position = ?`,
    [position, delivered, declined, refused, state, now, from.project_id, from.replay_id, from.position],
  );
  return changed === 1;
}

/** running → cancelled. Returns false when it no longer runs. */
export async function cancelBulkReplay(
  tx: Transaction,
  { project_id }: ProjectScope,
  replay_id: string,
  now: number,
): Promise<boolean> {
  const changed = await tx.write(
    `UPDATE handlers_replays SET state = 'cancelled', updated_at = ?
     WHERE project_id = ? AND replay_id = ? AND state = 'running'`,
    [now, project_id, replay_id],
  );
  return changed === 1;
}
