import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { type Client, CliError, Exit, type Output } from '../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import { describe, waitsFor } from './describe.ts';
import { MarkedLines } from './marked-lines.ts';
import { exitOf, isOver, untilOver } from './until-over.ts';

const RETRY_MS = 500;
const STATUS_MS = 1000;

/**
 * Shows a run's log as it grows, and its status on a terminal's last line, until the run ends. It waits for a server
 * that is away, and continues after the last chunk that it saw. Answers 0 or 1 by the status of the run.
 */
export async function follow(client: Client, run_id: string, output: Output): Promise<number> {
  const stop = output.live ? watchStatus(client, run_id, output) : () => {};
  try {
    await followLog(client, run_id, output);
  } finally {
    stop();
    output.status('');
  }
  // Another server may answer this than the one that told of the end.
  const run = await untilOver(client, run_id, output);
  if (output.json) output.data(run, () => '');
  else output.note(describe(run, output));
  return exitOf(run);
}

/** Prints the log until the run has ended; with `timestamps` each line begins with its time. */
export async function followLog(client: Client, run_id: string, output: Output, timestamps = false): Promise<void> {
  const seen: Seen = { id: undefined, told: false, timestamps, lines: new MarkedLines(output) };
  for (;;) {
    try {
      if (await readStream(client, run_id, seen)) return seen.lines.end();
    } catch (error) {
      if (!(error instanceof CliError) || error.exit !== Exit.unreachable) throw error;
      if (!seen.told) output.note(`${error.message}; waiting for it`);
      seen.told = true;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** What was printed so far. */
interface Seen {
  id: string | undefined;
  /** That the server is away. */
  told: boolean;
  timestamps: boolean;
  lines: MarkedLines;
}

/** One connection. Answers whether the run has ended; a broken connection answers false. */
async function readStream(client: Client, run_id: string, seen: Seen): Promise<boolean> {
  let ended = false;
  const parser = createParser({
    onEvent: (event: EventSourceMessage) => {
      if (event.event === 'end') ended = true;
      else if (event.event !== 'status') print(event, seen);
      if (event.id !== undefined && event.id !== '') seen.id = event.id;
    },
  });
  const headers: Record<string, string> = seen.id === undefined ? {} : { 'last-event-id': seen.id };
  const response = await client.open({ path: client.scoped(`/runs/${run_id}/logs`), query: { follow: true }, headers });
  seen.told = false;
  response.setEncoding('utf8');
  try {
    for await (const text of response) {
      parser.feed(text as string);
      if (ended) break;
    }
  } catch (error) {
    // The connection broke: the caller opens the next one after the last seen id.
    if (!['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
  return ended;
}

interface Chunk {
  stream: string;
  at: string;
  activity_id: string;
  /** Its name, where several nodes write. */
  activity?: string;
  data: string;
}

function print(event: EventSourceMessage, { lines, timestamps }: Seen): void {
  const { stream, at, activity_id: id, activity, data } = JSON.parse(event.data) as Chunk;
  const mark = `${timestamps ? `${at} ` : ''}${activity === undefined ? '' : `${activity} | `}`;
  lines.print(stream, { id, mark }, Buffer.from(data, 'base64'));
}

function watchStatus(client: Client, run_id: string, output: Output): () => void {
  const since = Date.now();
  let busy = false;
  const show = async () => {
    if (busy) return;
    busy = true;
    try {
      const run = await client.json<RunView>({ path: client.scoped(`/runs/${run_id}`) });
      const seconds = Math.round((Date.now() - since) / 1000);
      if (!isOver(run)) output.status(`${output.colours.dim(`[${seconds} s] ${run.status}${waitsFor(run)}`)}`);
    } catch {
      output.status(output.colours.dim('[server unreachable, waiting]'));
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void show(), STATUS_MS);
  return () => clearInterval(timer);
}
