import { setTimeout as delay } from 'node:timers/promises';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Client } from '../client/client.ts';
import { CliError } from '../errors.ts';
import type { RunRecord } from '../generated/api.ts';

const RETRY_MS = 1000;

type Told = Pick<RunRecord, 'run_id' | 'workflow' | 'status' | 'substate' | 'error'> & { updated_at: string };

/**
 * Tells what becomes of the project's runs, a line for each change, until `signal` aborts. Never rejects: whatever is
 * wrong with these lines, the server goes on.
 */
export async function tellOfRuns(
  client: Client,
  form: 'plain' | 'json',
  write: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const last = new LastTold();
  const tell = (run: Told) => {
    const says = whatOf(run);
    if (!last.isNews(run.run_id, says)) return;
    write(form === 'json' ? JSON.stringify(shown(run)) : lineOf(run, says));
  };
  while (!signal.aborted) {
    try {
      await follow(client, tell, signal);
    } catch (error) {
      if (!(error instanceof CliError) && !isCut(error)) return write(ended(form, error as Error));
    }
    // An abort ends the pause too.
    await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}

const ended = (form: 'plain' | 'json', { message }: Error): string =>
  form === 'json'
    ? JSON.stringify({ error: { message: `runs are not told of any more: ${message}` } })
    : `svc dev tells of runs no more (${message}); it goes on, and \`svc runs ls\` shows them`;

async function follow(client: Client, tell: (run: Told) => void, signal: AbortSignal): Promise<void> {
  const parser = createParser({
    onEvent: ({ event, data }: EventSourceMessage) => {
      if (event === 'run') tell(JSON.parse(data) as Told);
    },
  });
  const response = await client.open({ path: client.scoped('/live'), query: { topics: 'runs' }, signal });
  response.setEncoding('utf8');
  for await (const text of response) parser.feed(text as string);
}

const CUTS = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'];
const isCut = (error: unknown): boolean => CUTS.includes((error as NodeJS.ErrnoException).code ?? '');

/** Runs that are remembered, so that a change of something else is no news. */
const REMEMBERED = 1000;

class LastTold {
  readonly #says = new Map<string, string>();

  isNews(run_id: string, says: string): boolean {
    const news = this.#says.get(run_id) !== says;
    if (this.#says.size >= REMEMBERED) this.#says.clear();
    this.#says.set(run_id, says);
    return news;
  }
}

function whatOf({ status, substate, error }: Told): string {
  if (status === 'waiting' && substate) return `waits for ${[substate.kind, substate.name].filter(Boolean).join(' ')}`;
  return error ? `${status}: ${error.code}` : status;
}

const shown = ({ updated_at: at, run_id, workflow, status, substate, error }: Told) => ({
  at,
  run_id,
  workflow,
  status,
  substate,
  error,
});

/** `12:03:04  run_01…  release.sh  waits for signal approved`. */
const lineOf = ({ updated_at, run_id, workflow }: Told, says: string): string =>
  [new Date(updated_at).toTimeString().slice(0, 8), run_id, workflow, says].join('  ');
