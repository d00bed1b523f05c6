import { Errors, type Queries, type Sealer } from '../../../../../kernel/contracts/index.ts';
import type { LogDirection, StoredLog } from '../../contract.ts';
import type { Reader } from '../rows/context.ts';
import { sealContext } from '../rows/sealing.ts';

/** Behind every place in a log. */
const BEHIND_ALL = 1e15;

/** A run's log after `after` (exclusive) in commit order, so that nothing is ever skipped; or before it, backwards. */
export async function readLogs(
  on: Reader,
  sealer: Sealer,
  run_id: string,
  after: string | undefined,
  limit: number,
  direction: LogDirection = 'forth',
): Promise<StoredLog[]> {
  const begin = direction === 'forth' ? -1 : BEHIND_ALL;
  const seq = after === undefined ? begin : /^\d{1,15}$/.test(after) ? Number(after) : Number.NaN;
  if (Number.isNaN(seq)) throw Errors.invalidRequest(`${JSON.stringify(after)} is not a position in a log`);
  const [run] = await on.read<{ org_id: string; project_id: string }>(
    'SELECT org_id, project_id FROM runs_runs WHERE run_id = ?',
    [run_id],
  );
  if (!run) throw Errors.notFound(`there is no run ${run_id}`);
  await sealer.prepare(run.org_id);
  const rows = await on.read<{
    seq: number;
    activity_id: string;
    epoch: number;
    n: number;
    stream: StoredLog['stream'];
    logged_at: number;
    site: string | null;
    data: Buffer;
  }>(
    `SELECT seq, activity_id, epoch, n, stream, logged_at, site, data FROM runs_logs
     WHERE run_id = ? AND ${direction === 'forth' ? 'seq > ? ORDER BY seq' : 'seq < ? ORDER BY seq DESC'} LIMIT ${Math.max(1, Math.trunc(limit))}`,
    [run_id, seq],
  );
  return rows.map((row) => ({
    log_id: String(row.seq),
    activity_id: row.activity_id,
    stream: row.stream,
    at: row.logged_at,
    pass: row.epoch,
    site: row.site ?? undefined,
    data: sealer.open(sealContext.log(run, row), row.data),
  }));
}

/** The last pass of an activity that has printed anything; 0 when none has. */
export async function readLastPass(on: Pick<Queries, 'read'>, activity_id: string): Promise<number> {
  const [found] = await on.read<{ epoch: number | null }>(
    'SELECT MAX(epoch) AS epoch FROM runs_logs WHERE activity_id = ?',
    [activity_id],
  );
  return found?.epoch ?? 0;
}
