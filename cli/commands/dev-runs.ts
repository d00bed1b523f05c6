import { setTimeout as delay } from 'node:timers/promises';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Client } from '../client/client.ts';
import { CliError } from '../errors.ts';
import type { RunRecord } from '../generated/api.ts';

const RETRY_MS = 1000;

type RunUpdate = Pick<RunRecord, 'run_id' | 'workflow' | 'status' | 'substate' | 'error'> & { updated_at: string };

/**
 * Prints a line for each change of the project's runs until `signal` aborts. Never rejects: the server goes on even if these
 * lines cannot be printed.
 */
export async function reportRuns(
  client: Client,
  form: 'plain' | 'json',
  write: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const last = new LastReports();
  const report = (run: RunUpdate) => {
    const text = describeRun(run);
    if (!last.isNew(run.run_id, text)) return;
    write(form === 'json' ? JSON.stringify(toJson(run)) : formatLine(run, text));
  };
  while (!signal.aborted) {
    try {
      await follow(client, report, signal);
    } catch (error) {
      if (!(error instanceof CliError) && !isDisconnect(error)) return write(formatEnd(form, error as Error));
    }
    // An abort ends the pause early.
    await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}

const formatEnd = (form: 'plain' | 'json', { message }: Error): string =>
  form === 'json'
    ? JSON.stringify({ error: { message: `svc dev no longer reports runs: ${message}` } })
    : `svc dev no longer reports runs (${message}); they continue, and \`svc runs ls\` shows them`;

async function follow(client: Client, report: (run: RunUpdate) => void, signal: AbortSignal): Promise<void> {
  const parser = createParser({
    onEvent: ({ event, data }: EventSourceMessage) => {
      if (event === 'run') report(JSON.parse(data) as RunUpdate);
    },
  });
  const response = await client.open({ path: client.scoped('/live'), query: { topics: 'runs' }, signal });
  response.setEncoding('utf8');
  for await (const text of response) parser.feed(text as string);
}

const DISCONNECT_CODES = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'];
const isDisconnect = (error: unknown): boolean =>
  DISCONNECT_CODES.includes((error as NodeJS.ErrnoException).code ?? '');

/** How many runs are remembered, so that a change that leaves the line as it was prints nothing. */
const MAX_REMEMBERED = 1000;

class LastReports {
  readonly #texts = new Map<string, string>();

  isNew(run_id: string, text: string): boolean {
    const news = this.#texts.get(run_id) !== text;
    if (this.#texts.size >= MAX_REMEMBERED) this.#texts.clear();
    this.#texts.set(run_id, text);
    return news;
  }
}

function describeRun({ status, substate, error }: RunUpdate): string {
  if (status === 'waiting' && substate) return `waits for ${[substate.kind, substate.name].filter(Boolean).join(' ')}`;
  return error ? `${status}: ${error.code}` : status;
}

const toJson = ({ updated_at: at, run_id, workflow, status, substate, error }: RunUpdate) => ({
  at,
  run_id,
  workflow,
  status,
  substate,
  error,
});

/** `12:03:04  run_01…  release.sh  waits for signal approved`. */
const formatLine = ({ updated_at, run_id, workflow }: RunUpdate, text: string): string =>
  [new Date(updated_at).toTimeString().slice(0, 8), run_id, workflow, text].join('  ');
