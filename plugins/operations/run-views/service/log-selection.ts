import type { LogDirection, RunReader, StoredLog } from '../../../engine/runs/contract.ts';
import type { LogsQuery } from '../generated/logs-query.ts';
import { LogNames } from './log-names.ts';

export type LogFilter = (chunk: StoredLog) => Promise<boolean>;
type Logs = (
  run_id: string,
  after: string | undefined,
  limit: number,
  direction?: LogDirection,
) => Promise<StoredLog[]>;

const LINE_END = 10;

/** Selects the chunks of a step and a pass; undefined when a query selects all. */
export function logFilter(
  reader: Pick<RunReader, 'activityNames' | 'lastPass'>,
  { step, pass = 'all' }: LogsQuery,
): LogFilter | undefined {
  if (step === undefined && pass === 'all') return undefined;
  const names = new LogNames(reader);
  const passes = new Map<string, number>();
  const findLastPass = async (activity_id: string) => {
    const last = passes.get(activity_id) ?? (await reader.lastPass(activity_id));
    passes.set(activity_id, last);
    return last;
  };
  return async (chunk) => {
    if (pass === 'last' && chunk.pass < (await findLastPass(chunk.activity_id))) return false;
    if (pass !== 'last' && pass !== 'all' && chunk.pass !== Number(pass)) return false;
    if (step === undefined || isAt(chunk.site, step) || (await names.find(chunk.activity_id)) === step) return true;
    const child = await names.findChild(chunk.activity_id);
    return child !== undefined && isAt(`${child}#0`, step);
  };
}

const isAt = (site: string | undefined, step: string): boolean =>
  site !== undefined && (site === step || site.slice(0, site.lastIndexOf('#')) === step);

/** Where reading begins: behind `after`, and without the first bytes of one chunk. */
export interface LogStart {
  after: string | undefined;
  skipped?: { log_id: string; bytes: number };
}

/** Finds where the last lines of a log begin. It is read backwards, no further than that. */
export async function findTailStart(
  logs: Logs,
  run_id: string,
  lines: number,
  page: number,
  matches?: LogFilter,
): Promise<LogStart> {
  let before: string | undefined;
  let remaining = lines;
  let end = true;
  for (;;) {
    const chunks = await logs(run_id, before, page, 'back');
    for (const { log_id, data, ...rest } of chunks) {
      if (remaining === 0) return { after: log_id };
      if (matches && !(await matches({ log_id, data, ...rest }))) continue;
      // The end of the last line ends no line before it.
      let at = end && data.at(-1) === LINE_END ? data.length - 1 : data.length;
      if (data.length > 0) end = false;
      for (at = findLineEnd(data, at); at >= 0; at = findLineEnd(data, at)) {
        remaining -= 1;
        if (remaining === 0) return { after: idBefore(log_id), skipped: { log_id, bytes: at + 1 } };
      }
    }
    if (chunks.length < page) return { after: undefined };
    before = chunks.at(-1)!.log_id;
  }
}

const findLineEnd = (data: Buffer, before: number): number =>
  before <= 0 ? -1 : data.lastIndexOf(LINE_END, before - 1);

const idBefore = (log_id: string): string | undefined => (log_id === '0' ? undefined : String(Number(log_id) - 1));

/** The chunk without what lies before the start. */
export const cutBeforeStart = (chunk: StoredLog, { skipped }: LogStart): StoredLog =>
  skipped?.log_id === chunk.log_id ? { ...chunk, data: chunk.data.subarray(skipped.bytes) } : chunk;
