import { setTimeout as delay } from 'node:timers/promises';
import { type Api, type Client, readAll, type Output } from '../../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import type { NamedPayload } from './named-payloads.ts';
import { readOpenWaits, type Wait } from './open-waits.ts';
import { hasEnded } from './wait-for-end.ts';

/** How often somebody looks for new waits. */
export const POLL_MS = 200;

export interface WaitAnswersOptions {
  /** Events to send when something waits for their type, in this order. They are taken out. */
  emits: NamedPayload[];
  /** From which commands reach the server. */
  folder: string;
  output: Output;
}

/** Sends the events that were given for the waits of a local server. */
export class WaitAnswers {
  readonly #api: Client;
  readonly #given: WaitAnswersOptions;
  /** The waits that were seen, and the event that was sent for each. */
  readonly #told = new Map<string, string | undefined>();

  constructor(api: Client, given: WaitAnswersOptions) {
    this.#api = api;
    this.#given = given;
  }

  /** Of all runs of the server: they are this run and those that it called. */
  async open(): Promise<{ runs: RunView[]; waits: Wait[] }> {
    const all = await readAll<RunView>(this.#api, this.#api.scoped('/runs'), 'runs');
    const runs = all.filter((run) => !hasEnded(run));
    const waits = await Promise.all(runs.map((run) => readOpenWaits(this.#api, run)));
    return { runs, waits: waits.flat() };
  }

  /** Answers how many events were sent. */
  async send(waits: readonly Wait[]): Promise<number> {
    let sent = 0;
    for (const wait of waits) if (await this.#send(wait)) sent += 1;
    return sent;
  }

  /** Says once of each how it can be answered. */
  tell(waits: readonly Wait[]): void {
    for (const wait of waits) {
      const key = toKey(wait);
      if (this.#told.has(key) || !['event', 'signal', 'ask'].includes(wait.kind)) continue;
      this.#told.set(key, undefined);
      this.#given.output.note(describeAnswer(wait, this.#given.folder));
    }
  }

  async #send(wait: Wait): Promise<boolean> {
    const { emits } = this.#given;
    const key = toKey(wait);
    const sent = this.#told.get(key);
    // An event that was taken ends the wait soon; one that the wait declined leaves room for the next.
    if (sent !== undefined) {
      if (!(await hasDeclined(this.#api, sent, wait))) return false;
      this.#told.delete(key);
    }
    const nth = wait.kind === 'event' ? emits.findIndex(({ name }) => name === wait.name) : -1;
    if (nth < 0) return false;
    const [{ name: type, payload } = { name: '', payload: null }] = emits.splice(nth, 1);
    const { event } = await this.#api.json<{ event: string }>({
      method: 'POST',
      path: this.#api.scoped('/events'),
      body: { type, payload },
    });
    this.#told.set(key, event);
    return true;
  }
}

const toKey = ({ run_id, node, name, since }: Wait): string => [run_id, node, name, since].join(' ');

/**
 * Looks at what the runs of a local server wait for. An event that was given for it is sent; for anything else it says
 * once how it can be sent. Answers what ends it.
 */
export function answerWaits(api: Client, given: WaitAnswersOptions): () => Promise<void> {
  const answers = new WaitAnswers(api, given);
  return repeatUntilStopped(given.output, async () => {
    const { waits } = await answers.open();
    await answers.send(waits);
    answers.tell(waits);
    return POLL_MS;
  });
}

/** Does it again and again, with pauses of its own choice in milliseconds. Answers what ends it. */
export function repeatUntilStopped(output: Output, once: () => Promise<number>): () => Promise<void> {
  const stopped = new AbortController();
  const looking = (async () => {
    while (!stopped.signal.aborted)
      await delay(await once(), undefined, { signal: stopped.signal }).catch(() => undefined);
  })().catch((error: Error) => {
    if (!stopped.signal.aborted) output.note(error.message);
  });
  return async () => {
    stopped.abort();
    await looking;
  };
}

async function hasDeclined(api: Client, event: string, { run_id }: Wait): Promise<boolean> {
  const { deliveries } = await api.json<Api.ShownEvent>({ path: api.scoped(`/events/${event}`) });
  return deliveries.some(({ reaction, name, state }) => reaction === 'wait' && name === run_id && state === 'declined');
}

function describeAnswer({ run_id, node, kind, name }: Wait, folder: string): string {
  const who = node === undefined ? run_id : `${node} of ${run_id}`;
  const command =
    kind === 'event'
      ? `svc emit ${name} --payload null`
      : kind === 'signal'
        ? `svc signal ${run_id} ${name} --payload null`
        : `svc ask ${run_id} ${name}`;
  return `${who} is waiting for the ${kind} ${name}; from another terminal: (cd ${folder} && ${command})`;
}
