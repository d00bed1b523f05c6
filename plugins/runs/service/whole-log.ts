import { iso } from '../../../kernel/contracts/index.ts';
import type { StoredLog } from '../contract.ts';
import { type Line, WholeLines } from '../local/whole-lines.ts';
import type { LogNames } from './log-names.ts';
import { LogPages } from './log-pages.ts';
import { fromStart, type LogStart } from './log-selection.ts';

/** Chunks read at once where the end of a log is looked for. */
export const READ_CHUNKS = 32;

export interface WholeLogParts {
  logs(run_id: string, after: string | undefined, limit: number): Promise<StoredLog[]>;
  /** Names of writers; present when each line of a log names its own. */
  names?: Pick<LogNames, 'of'> | undefined;
  timestamps?: boolean;
  format?: 'text' | 'json';
  start?: LogStart;
  fits?: ((chunk: StoredLog) => Promise<boolean>) | undefined;
  grep?: string | undefined;
  /** Matching lines that are left out at the beginning. */
  skip?: number;
}

/** What is said of a line. */
interface Mark extends Pick<StoredLog, 'at' | 'stream' | 'pass' | 'site'> {
  activity: string | undefined;
}

/** Whether something is said or asked of each line. */
export const isByLine = ({ names, timestamps, format, grep }: WholeLogParts): boolean =>
  names !== undefined || timestamps === true || format === 'json' || grep !== undefined;

/**
 * The present log of a run: the bytes of all streams in stored order, or whole lines.
 */
export async function* wholeLog(parts: WholeLogParts, run_id: string): AsyncGenerator<Buffer> {
  const { timestamps = false, format = 'text' } = parts;
  if (!isByLine(parts)) {
    for await (const { data } of chunks(parts, run_id)) yield data;
    return;
  }
  let skip = parts.skip ?? 0;
  const shown = format === 'json' ? jsonLine : textLine(timestamps);
  for await (const lines of wholeLines(parts, run_id)) {
    const kept = lines.slice(Math.min(skip, lines.length));
    skip -= lines.length - kept.length;
    if (kept.length > 0) yield Buffer.concat(kept.map(shown));
  }
}

export async function countLines(parts: WholeLogParts, run_id: string): Promise<number> {
  let count = 0;
  for await (const lines of wholeLines(parts, run_id)) count += lines.length;
  return count;
}

async function* chunks({ logs, fits, start }: WholeLogParts, run_id: string): AsyncGenerator<StoredLog> {
  const pages = new LogPages(logs, run_id, start?.after);
  while (pages.more)
    for (const chunk of await pages.next())
      if (!fits || (await fits(chunk))) yield start ? fromStart(chunk, start) : chunk;
}

/** The lines that each chunk completes, and at last those without an end. */
async function* wholeLines(parts: WholeLogParts, run_id: string): AsyncGenerator<Line<Mark>[]> {
  const { names, grep } = parts;
  const lines = new WholeLines<Mark>();
  const passes = new Map<string, number>();
  const wanted = grep === undefined ? undefined : Buffer.from(grep);
  const matching = (all: Line<Mark>[]) => (wanted ? all.filter(({ text }) => text.includes(wanted)) : all);
  for await (const { activity_id, at, stream, pass, site, data } of chunks(parts, run_id)) {
    const writer = `${activity_id} ${stream}`;
    // A new process does not go on with the line of the one before it.
    if (passes.get(writer) !== pass) yield matching(lines.close(writer));
    passes.set(writer, pass);
    const activity = names && (await names.of(activity_id));
    yield matching(lines.push(writer, { at, stream, pass, site, activity }, data));
  }
  yield matching(lines.end());
}

const textLine =
  (timestamps: boolean) =>
  ({ mark, text }: Line<Mark>): Buffer => {
    const { at, activity } = mark;
    const begin = `${timestamps ? `${iso(at)} ` : ''}${activity === undefined ? '' : `${activity} | `}`;
    return Buffer.concat([Buffer.from(begin), text, Buffer.from('\n')]);
  };

const jsonLine = ({ mark, text }: Line<Mark>): Buffer => {
  const { at, ...rest } = mark;
  const said = text.toString();
  const shown = Buffer.from(said).equals(text) ? { text: said } : { text_base64: text.toString('base64') };
  return Buffer.from(`${JSON.stringify({ at: iso(at), ...rest, ...shown })}\n`);
};
