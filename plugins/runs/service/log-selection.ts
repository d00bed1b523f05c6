import type { LogDirection, StoredLog } from '../contract.ts';
import type { LogsQuery } from '../generated/logs-query.ts';
import type { Reader } from '../store/parts.ts';
import { readLastPass } from '../store/stored-logs.ts';
import { LogNames } from './log-names.ts';

type Fits = (chunk: StoredLog) => Promise<boolean>;
type Logs = (run_id: string, after: string | undefined, limit: number, way?: LogDirection) => Promise<StoredLog[]>;

const LINE_END = 10;

/** Chunks of the wanted step and pass; undefined where all are wanted. */
export function selection(on: Reader, { step, pass = 'all' }: LogsQuery): Fits | undefined {
  if (step === undefined && pass === 'all') return undefined;
  const names = new LogNames(on);
  const last = new Map<string, number>();
  const lastOf = async (activity_id: string) => {
    const known = last.get(activity_id) ?? (await readLastPass(on, activity_id));
    last.set(activity_id, known);
    return known;
  };
  return async (chunk) => {
    if (pass === 'last' && chunk.pass < (await lastOf(chunk.activity_id))) return false;
    if (pass !== 'last' && pass !== 'all' && chunk.pass !== Number(pass)) return false;
    if (step === undefined || isAt(chunk.site, step) || (await names.of(chunk.activity_id)) === step) return true;
    const child = await names.ofChild(chunk.activity_id);
    return child !== undefined && isAt(`${child}#0`, step);
  };
}

const isAt = (site: string | undefined, step: string): boolean =>
  site !== undefined && (site === step || site.slice(0, site.lastIndexOf('#')) === step);

/** Where reading begins: behind `after`, and without the first bytes of one chunk. */
export interface LogStart {
  after: string | undefined;
  cut?: { log_id: string; bytes: number };
}

/** Where the last lines of a log begin. It is read backwards, no further than that. */
export async function startOfTail(
  logs: Logs,
  run_id: string,
  lines: number,
  page: number,
  fits?: Fits,
): Promise<LogStart> {
  let before: string | undefined;
  let left = lines;
  let end = true;
  for (;;) {
    const chunks = await logs(run_id, before, page, 'back');
    for (const { log_id, data, ...rest } of chunks) {
      if (left === 0) return { after: log_id };
      if (fits && !(await fits({ log_id, data, ...rest }))) continue;
      // The end of the last line ends no line before it.
      let at = end && data.at(-1) === LINE_END ? data.length - 1 : data.length;
      if (data.length > 0) end = false;
      for (at = lastEnd(data, at); at >= 0; at = lastEnd(data, at)) {
        left -= 1;
        if (left === 0) return { after: previous(log_id), cut: { log_id, bytes: at + 1 } };
      }
    }
    if (chunks.length < page) return { after: undefined };
    before = chunks.at(-1)!.log_id;
  }
}

const lastEnd = (data: Buffer, before: number): number => (before <= 0 ? -1 : data.lastIndexOf(LINE_END, before - 1));

const previous = (log_id: string): string | undefined => (log_id === '0' ? undefined : String(Number(log_id) - 1));

/** The chunk without what lies before the start. */
export const fromStart = (chunk: StoredLog, { cut }: LogStart): StoredLog =>
  cut?.log_id === chunk.log_id ? { ...chunk, data: chunk.data.subarray(cut.bytes) } : chunk;
