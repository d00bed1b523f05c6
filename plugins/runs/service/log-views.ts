import { Errors, type Sealer } from '../../../kernel/contracts/index.ts';
import type { LogChunk, StoredLog } from '../contract.ts';
import { sealed } from '../store/sealing.ts';
import type { Reader } from './run-rows.ts';

interface LogRow {
  org_id: string;
  project_id: string;
  seq: number;
  activity_id: string;
  epoch: number;
  n: number;
  stream: LogChunk['stream'];
  logged_at: number;
  data: Buffer;
}

/**
 * Log of a run after `after`, which is the `log_id` of a chunk, oldest first. The order is the order of commits, so
 * reading on from the last chunk misses none.
 */
export async function readLogs(
  on: Reader,
  sealer: Sealer,
  run_id: string,
  after: string | undefined,
  limit: number,
): Promise<StoredLog[]> {
  const rows = await on.read<LogRow>(
    `SELECT r.org_id, r.project_id, l.seq, l.activity_id, l.epoch, l.n, l.stream, l.logged_at, l.data
     FROM runs_logs l JOIN runs_runs r ON r.run_id = l.run_id
     WHERE l.run_id = ? AND l.seq > ? ORDER BY l.seq LIMIT ${Math.trunc(limit)}`,
    [run_id, after === undefined ? -1 : parseLogId(after)],
  );
  if (rows.length > 0) await sealer.prepare(rows[0]!.org_id);
  return rows.map((row) => ({
    log_id: String(row.seq),
    activity_id: row.activity_id,
    stream: row.stream,
    at: row.logged_at,
    data: sealer.open(sealed.log(row, row), row.data),
  }));
}

/** Throws `invalid_request` for an id that this service never gave. */
export function parseLogId(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const message = 'is no id of a chunk of this log; leave it out to begin at the start';
  throw Errors.invalidRequest(`Last-Event-ID ${message}`, { errors: [{ pointer: '/Last-Event-ID', message }] });
}
