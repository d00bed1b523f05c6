import { ServiceError, type Turns } from '../../../kernel/contracts/index.ts';
import type { LogDirection, StoredLog } from '../contract.ts';
import type { LogsQuery } from '../generated/logs-query.ts';
import { type LogStart, startOfTail } from './log-selection.ts';
import { countLines, isByLine, READ_CHUNKS, wholeLog, type WholeLogParts } from './whole-log.ts';

type Logs = (run_id: string, after: string | undefined, limit: number, way?: LogDirection) => Promise<StoredLog[]>;

interface Parts extends Pick<WholeLogParts, 'names' | 'fits'> {
  logs: Logs;
}

/**
 * Pages of logs, one at a time for all that share `pages`, and the event loop runs after each: a filter or a count walks through
 * all of a log, which is megabytes. Callers take turns, however many logs one of them reads. For a caller that has gone no
 * further page is read; a server that stops lets answers end.
 */
export const inTurns =
  (logs: Logs, pages: Turns, { signal, caller }: { signal: AbortSignal; caller: string }): Logs =>
  (...page) =>
    pages.take(async () => {
      // A page that is missing would look like the end of the log.
      if (signal.aborted && !(signal.reason instanceof ServiceError)) throw signal.reason;
      return logs(...page);
    }, caller);

/** Where the last lines begin that are asked for, and otherwise the beginning. */
export async function startOf({ logs, fits }: Parts, run_id: string, { tail }: LogsQuery): Promise<LogStart> {
  return tail === undefined ? { after: undefined } : startOfTail(logs, run_id, Number(tail), READ_CHUNKS, fits);
}

/** A log that is not followed. */
export async function readLog(parts: Parts, run_id: string, query: LogsQuery): Promise<AsyncGenerator<Buffer>> {
  const { format, grep, tail } = query;
  const asked = { ...parts, format, grep, timestamps: query.timestamps === 'true' };
  if (tail === undefined) return wholeLog(asked, run_id);
  const start = grep === undefined ? await startOf(parts, run_id, query) : { after: undefined };
  if (!isByLine(asked)) return wholeLog({ ...asked, start }, run_id);
  // The last of the lines that match, or that several wrote at once: they are counted first, so that none has to be held.
  const from = { ...asked, start: earlier(start) };
  const skip = Math.max(0, (await countLines(from, run_id)) - Number(tail));
  return wholeLog({ ...from, skip }, run_id);
}

/** Lines that others interrupted begin before their ends. */
const earlier = ({ after }: LogStart): LogStart => {
  const before = Number(after ?? 0) - READ_CHUNKS;
  return { after: before < 0 ? undefined : String(before) };
};
