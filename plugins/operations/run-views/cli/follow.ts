import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { type Call, type Client, CliError, Exit, type Output } from '../../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import { describeRun, describeWait } from './describe.ts';
import { type FollowedChunk, FollowedLines, type LineFormat } from './followed-lines.ts';
import { exitCodeOf, hasEnded, waitForEnd } from './wait-for-end.ts';

const RETRY_MS = 500;
const STATUS_MS = 1000;
const REPORT_MS = 10_000;

/**
 * Shows a run's log as it grows, and its status on a terminal's last line, until the run ends. It waits for a server
 * that is away, and continues after the last chunk that it saw. Answers 0 or 1 by the status of the run.
 */
export async function follow(
  client: Client,
  run_id: string,
  output: Output,
  lines = new FollowedLines(output),
): Promise<number> {
  const stop = output.live ? watchStatus(client, run_id, output) : () => {};
  try {
    await followLog(client, run_id, output, { lines });
  } finally {
    stop();
    output.status('');
  }
  // Another server may answer this than the one that told of the end.
  const run = await waitForEnd(client, run_id, output);
  if (output.json) output.data(run, () => '');
  else output.note(describeRun(withoutFollowedError(run, lines), output));
  return exitCodeOf(run);
}

/** What stands before the end of standard error in the error of a run. */
const STDERR_HEADING = '\nthe end of its standard error:\n';

function withoutFollowedError(run: RunView, lines: FollowedLines): RunView {
  return run.error ? { ...run, error: { ...run.error, message: removeFollowedText(run.error.message, lines) } } : run;
}

/** The message of an error without the standard error that was just followed; what was not shown stays. */
export function removeFollowedText(message: string, lines: FollowedLines): string {
  const at = message.indexOf(STDERR_HEADING);
  const quoted = at < 0 ? '' : message.slice(at + STDERR_HEADING.length).trimEnd();
  return quoted !== '' && lines.hasShown(quoted) ? message.slice(0, at) : message;
}

/** The same for a run that goes on without us: Ctrl-C says so, and how to come back. */
export async function followRemoteRun(client: Client, run_id: string, output: Output): Promise<number> {
  const stay = exitOnInterrupt(run_id, output);
  const stop = output.live ? () => {} : reportWaits(client, run_id, output);
  try {
    return await follow(client, run_id, output);
  } finally {
    stop();
    stay();
  }
}

const INTERRUPTED = 130;

/** Answers how to end this. */
export function exitOnInterrupt(run_id: string, output: Output): () => void {
  const leave = () => {
    output.status('');
    output.end();
    output.note(`\n${run_id} continues; \`svc logs ${run_id} --follow\` follows it again`);
    output.note(`\`svc cancel ${run_id}\` ends it`);
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', leave);
  return () => process.off('SIGINT', leave);
}

/** What of a log is followed, and how it is shown. */
export interface FollowOptions {
  query?: Call['query'];
  form?: LineFormat;
  /** What prints it, for a caller that asks what was printed. */
  lines?: FollowedLines;
}

/** Prints the log until the run has ended. */
export async function followLog(
  client: Client,
  run_id: string,
  output: Output,
  { query, form, lines = new FollowedLines(output, form) }: FollowOptions = {},
): Promise<void> {
  const seen: FollowState = { id: undefined, told: false, query, lines };
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
interface FollowState {
  id: string | undefined;
  /** That the server is away. */
  told: boolean;
  query: Call['query'];
  lines: FollowedLines;
}

/** One connection. Answers whether the run has ended; a broken connection answers false. */
async function readStream(client: Client, run_id: string, seen: FollowState): Promise<boolean> {
  let ended = false;
  const parser = createParser({
    onEvent: (event: EventSourceMessage) => {
      if (event.event === 'end') ended = true;
      else if (event.event !== 'status') seen.lines.print(JSON.parse(event.data) as FollowedChunk);
      if (event.id !== undefined && event.id !== '') seen.id = event.id;
    },
  });
  const headers: Record<string, string> = seen.id === undefined ? {} : { 'last-event-id': seen.id };
  const query = { ...seen.query, follow: true };
  const response = await client.open({ path: client.scoped(`/runs/${run_id}/logs`), query, headers });
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

/**
 * Without a terminal there is no line that changes, so that a run which waits would look like one that hangs: says what it
 * waits for, when it is still so after a while. Answers how to end this.
 */
export function reportWaits(client: Client, run_id: string, output: Output, look_ms = REPORT_MS): () => void {
  let told = '';
  let busy = false;
  const look = async () => {
    if (busy) return;
    busy = true;
    try {
      const run = await client.json<RunView>({ path: client.scoped(`/runs/${run_id}`) });
      const says = describeOpenWait(run, run_id, output);
      if (says !== '' && says !== told) output.note(says);
      told = says;
    } catch {
      // Who follows the log says that the server is away, and waits for it.
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void look(), look_ms);
  return () => clearInterval(timer);
}

function describeOpenWait(run: RunView, run_id: string, output: Output): string {
  if (run.status === 'queued') return `${run_id} is queued: \`svc explain ${run_id}\` shows why`;
  if (run.status !== 'waiting') return '';
  return `${run_id} waits${describeWait(run, output)}: \`svc explain ${run_id}\` shows more`;
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
      if (!hasEnded(run))
        output.status(`${output.colours.dim(`[${seconds} s] ${run.status}${describeWait(run, output)}`)}`);
    } catch {
      output.status(output.colours.dim('[server unreachable, waiting]'));
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void show(), STATUS_MS);
  return () => clearInterval(timer);
}
