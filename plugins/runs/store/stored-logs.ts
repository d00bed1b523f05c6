import { Errors, type Sealer } from '../../../kernel/contracts/index.ts';
import type { StoredLog } from '../contract.ts';
import type { Reader } from './parts.ts';
import { sealed } from './sealing.ts';

/** A run's log after `after` (exclusive) in commit order, so that nothing is ever skipped. */
export async function readLogs(
  on: Reader,
  sealer: Sealer,
  run_id: string,
  after: string | undefined,
  limit: number,
): Promise<StoredLog[]> {
  const seq = after === undefined ? -1 : /^\d{1,15}$/.test(after) ? Number(after) : Number.NaN;
  if (Number.isNaN(seq)) throw Errors.invalidRequest(`${JSON.stringify(after)} is no place in a log`);
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
    data: Buffer;
  }>(
    `SELECT seq, activity_id, epoch, n, stream, logged_at, data FROM runs_logs WHERE run_id = ? AND seq > ?
     ORDER BY seq LIMIT ${Math.max(1, Math.trunc(limit))}`,
    [run_id, seq],
  );
  return rows.map((row) => ({
    log_id: String(row.seq),
    activity_id: row.activity_id,
    stream: row.stream,
    at: row.logged_at,
    data: sealer.open(sealed.log(run, row), row.data),
  }));
}
