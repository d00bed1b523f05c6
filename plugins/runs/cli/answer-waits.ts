import { setTimeout as delay } from 'node:timers/promises';
import { type Api, type Client, everything, type Output } from '../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import type { Named } from './named.ts';
import { openWaitsOf, type Wait } from './open-waits.ts';
import { isOver } from './until-over.ts';

const LOOK_MS = 200;

export interface GivenAnswers {
  /** Events to send when something waits for their type, in this order. They are taken out. */
  emits: Named[];
  /** From which commands reach the server. */
  folder: string;
  output: Output;
}

/**
 * Looks at what the runs of a local server wait for. An event that was given for it is sent; for anything else it says
 * once how it can be sent. Answers what ends it.
 */
export function answerWaits(api: Client, given: GivenAnswers): () => Promise<void> {
  const stopped = new AbortController();
  const told = new Map<string, string | undefined>();
  const looking = (async () => {
    while (!stopped.signal.aborted) {
      for (const wait of await openWaits(api)) await answer(api, wait, given, told);
      await delay(LOOK_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })().catch((error: Error) => {
    if (!stopped.signal.aborted) given.output.note(error.message);
  });
  return async () => {
    stopped.abort();
    await looking;
  };
}

/** `told`: the waits that were seen, and the event that was sent for each. */
async function answer(api: Client, wait: Wait, given: GivenAnswers, told: Map<string, string | undefined>) {
  const key = [wait.run_id, wait.node, wait.name, wait.since].join(' ');
  const sent = told.get(key);
  // An event that was taken ends the wait soon; one that the wait declined leaves room for the next.
  if (sent !== undefined && !(await declined(api, sent, wait))) return;
  const nth = wait.kind === 'event' ? given.emits.findIndex(({ name }) => name === wait.name) : -1;
  if (nth >= 0) {
    const [{ name: type, payload } = { name: '', payload: null }] = given.emits.splice(nth, 1);
    const { event } = await api.json<{ event: string }>({
      method: 'POST',
      path: api.scoped('/events'),
      body: { type, payload },
    });
    told.set(key, event);
  } else if (!told.has(key) || sent !== undefined) {
    told.set(key, undefined);
    given.output.note(hint(wait, given.folder));
  }
}

async function declined(api: Client, event: string, { run_id }: Wait): Promise<boolean> {
  const { deliveries } = await api.json<Api.ShownEvent>({ path: api.scoped(`/events/${event}`) });
  return deliveries.some(({ reaction, name, state }) => reaction === 'wait' && name === run_id && state === 'declined');
}

function hint({ run_id, node, kind, name }: Wait, folder: string): string {
  const who = node === undefined ? run_id : `${node} of ${run_id}`;
  const command = kind === 'event' ? `svc emit ${name}` : `svc signal ${run_id} ${name}`;
  return `${who} waits for the ${kind} ${name}; from another terminal: (cd ${folder} && ${command} --payload null)`;
}

/** Of all runs of the server: they are this run and those that it called. */
async function openWaits(api: Client): Promise<Wait[]> {
  const runs = await everything<RunView>(api, api.scoped('/runs'), 'runs');
  const waits = await Promise.all(runs.filter((run) => !isOver(run)).map((run) => openWaitsOf(api, run)));
  return waits.flat().filter(({ kind }) => kind === 'event' || kind === 'signal');
}
