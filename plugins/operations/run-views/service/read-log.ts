import { ServiceError, type FairSemaphore } from '../../../../kernel/contracts/index.ts';
import type { LogDirection, StoredLog } from '../../../engine/runs/contract.ts';
import type { LogsQuery } from '../generated/logs-query.ts';
import { findTailStart, type LogStart } from './log-selection.ts';
import { countLines, isByLine, READ_CHUNKS, wholeLog, type WholeLogDeps } from './whole-log.ts';

type Logs = (
  run_id: string,
  after: string | undefined,
  limit: number,
  direction?: LogDirection,
) => Promise<StoredLog[]>;

interface Deps extends Pick<WholeLogDeps, 'names' | 'matches'> {
  logs: Logs;
}

/** Reads no further page for a caller that has disconnected. A server that stops lets answers end. */
export const untilDisconnected =
  (logs: Logs, signal: AbortSignal): Logs =>
  async (...page) => {
    // A page that is missing would look like the end of the log.
    if (signal.aborted && !(signal.reason instanceof ServiceError)) throw signal.reason;
    return logs(...page);
  };

/**
 * Reads pages of logs one at a time for all that share `pages`, and the event loop runs after each page: a filter or a count walks
 * through all of a log, which is megabytes. Callers alternate, however many logs one of them reads.
 */
export const serializePages =
  (logs: Logs, pages: FairSemaphore, { signal, caller }: { signal: AbortSignal; caller: string }): Logs =>
  (...page) =>
    pages.run(() => untilDisconnected(logs, signal)(...page), caller);

/** Finds where the last lines begin that the query asks for; without `tail` the beginning. */
export async function findLogStart({ logs, matches }: Deps, run_id: string, { tail }: LogsQuery): Promise<LogStart> {
  return tail === undefined ? { after: undefined } : findTailStart(logs, run_id, Number(tail), READ_CHUNKS, matches);
}

/** A log that is not followed. */
export async function readLog(deps: Deps, run_id: string, query: LogsQuery): Promise<AsyncGenerator<Buffer>> {
  const { format, grep, tail } = query;
  const selected = { ...deps, format, grep, timestamps: query.timestamps === 'true' };
  if (tail === undefined) return wholeLog(selected, run_id);
  const start = grep === undefined ? await findLogStart(deps, run_id, query) : { after: undefined };
  if (!isByLine(selected)) return wholeLog({ ...selected, start }, run_id);
  // The last of the lines that match, or that several wrote at once: they are counted first, so that none has to be held.
  const from = { ...selected, start: startEarlier(start) };
  const skip = Math.max(0, (await countLines(from, run_id)) - Number(tail));
  return wholeLog({ ...from, skip }, run_id);
}

/** Lines that others interrupted begin before their ends. */
const startEarlier = ({ after }: LogStart): LogStart => {
  const before = Number(after ?? 0) - READ_CHUNKS;
  return { after: before < 0 ? undefined : String(before) };
};
