import { iso, yieldToEventLoop } from '../../../../kernel/contracts/index.ts';
import type { StoredLog } from '../../../engine/runs/contract.ts';
import { type Line, LineBuffer } from '../local/line-buffer.ts';
import type { LogNames } from './log-names.ts';
import { LogPages } from './log-pages.ts';
import { cutBeforeStart, type LogFilter, type LogStart } from './log-selection.ts';

/** Chunks that one read takes where the end of a log is searched. */
export const READ_CHUNKS = 32;

/** Bytes of rendered lines that are made at once. The prefix of an empty line makes it hundreds of times as long. */
const PIECE_BYTES = 64 * 1024;
/** Lines that are scanned before other requests are served. */
const MAX_LINES_PER_TURN = 8192;

export interface WholeLogDeps {
  logs(run_id: string, after: string | undefined, limit: number): Promise<StoredLog[]>;
  /** Names of writers; present when each line of a log names its own. */
  names?: Pick<LogNames, 'find'> | undefined;
  timestamps?: boolean;
  format?: 'text' | 'json';
  start?: LogStart;
  matches?: LogFilter | undefined;
  grep?: string | undefined;
  /** Matching lines that are left out at the beginning. */
  skip?: number;
}

/** What is known of a line beside its text. */
interface Source extends Pick<StoredLog, 'at' | 'stream' | 'pass' | 'site'> {
  activity: string | undefined;
}

/** Whether lines are rendered or selected one by one. */
export const isByLine = ({ names, timestamps, format, grep }: WholeLogDeps): boolean =>
  names !== undefined || timestamps === true || format === 'json' || grep !== undefined;

/**
 * The present log of a run: the bytes of all streams in stored order, or whole lines.
 */
export async function* wholeLog(deps: WholeLogDeps, run_id: string): AsyncGenerator<Buffer> {
  const { timestamps = false, format = 'text' } = deps;
  if (!isByLine(deps)) {
    for await (const { data } of readChunks(deps, run_id)) yield data;
    return;
  }
  let skip = deps.skip ?? 0;
  const render = format === 'json' ? jsonLine : textLine(timestamps);
  for await (const lines of readLines(deps, run_id)) {
    const pieces = new Pieces();
    for (const line of lines) {
      skip -= 1;
      const piece = skip < 0 ? pieces.add(render(line)) : undefined;
      if (piece === undefined) continue;
      yield piece;
      await yieldToEventLoop();
    }
    yield* pieces.flush();
  }
}

export async function countLines(deps: WholeLogDeps, run_id: string): Promise<number> {
  let count = 0;
  for await (const lines of readLines(deps, run_id)) for (const _ of lines) count += 1;
  return count;
}

/** Collects rendered lines into pieces of `PIECE_BYTES`. */
class Pieces {
  #lines: Buffer[] = [];
  #bytes = 0;

  /** The piece that this line completes. */
  add(line: Buffer): Buffer | undefined {
    this.#lines.push(line);
    this.#bytes += line.length;
    return this.#bytes < PIECE_BYTES ? undefined : this.#join();
  }

  flush(): Buffer[] {
    return this.#lines.length === 0 ? [] : [this.#join()];
  }

  #join(): Buffer {
    const piece = Buffer.concat(this.#lines);
    this.#lines = [];
    this.#bytes = 0;
    return piece;
  }
}

async function* readChunks({ logs, matches, start }: WholeLogDeps, run_id: string): AsyncGenerator<StoredLog> {
  const pages = new LogPages(logs, run_id, start?.after);
  while (pages.hasMore)
    for (const chunk of await pages.next())
      if (!matches || (await matches(chunk))) yield start ? cutBeforeStart(chunk, start) : chunk;
}

/**
 * The lines that each chunk completes, and at last those without an end. Few are made at a time, and other requests are served in
 * between.
 */
async function* readLines(deps: WholeLogDeps, run_id: string): AsyncGenerator<Iterable<Line<Source>>> {
  const { names, grep } = deps;
  const lines = new LineBuffer<Source>();
  const passes = new Map<string, number>();
  const pattern = grep === undefined ? undefined : Buffer.from(grep);
  let scanned = 0;
  function* grepLines(all: Iterable<Line<Source>>): Generator<Line<Source>> {
    for (const line of all) {
      scanned += 1;
      if (!pattern || line.text.includes(pattern)) yield line;
    }
  }
  for await (const { activity_id, at, stream, pass, site, data } of readChunks(deps, run_id)) {
    const writer = `${activity_id} ${stream}`;
    // A new process does not go on with the line of the one before it.
    if (passes.get(writer) !== pass) yield grepLines(lines.close(writer));
    passes.set(writer, pass);
    const activity = names && (await names.find(activity_id));
    yield grepLines(lines.push(writer, { at, stream, pass, site, activity }, data));
    if (scanned < MAX_LINES_PER_TURN) continue;
    scanned = 0;
    await yieldToEventLoop();
  }
  yield grepLines(lines.end());
}

const textLine =
  (timestamps: boolean) =>
  ({ mark, text }: Line<Source>): Buffer => {
    const { at, activity } = mark;
    const begin = `${timestamps ? `${iso(at)} ` : ''}${activity === undefined ? '' : `${activity} | `}`;
    return Buffer.concat([Buffer.from(begin), text, Buffer.from('\n')]);
  };

const jsonLine = ({ mark, text }: Line<Source>): Buffer => {
  const { at, ...rest } = mark;
  const decoded = text.toString();
  const content = Buffer.from(decoded).equals(text) ? { text: decoded } : { text_base64: text.toString('base64') };
  return Buffer.from(`${JSON.stringify({ at: iso(at), ...rest, ...content })}\n`);
};
