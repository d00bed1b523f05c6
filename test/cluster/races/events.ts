import type { Client } from '../client.ts';
import { pause, type Race } from './race.ts';

const OVER = ['succeeded', 'failed', 'cancelled'];

const waiter = (type: string) =>
  `svc output set got="$(svc wait-event ${type} --timeout 40s | sed -E 's/.*"n":([0-9]+).*/\\1/')"\n`;

/** A run of one server arms its wait while another server records events of that type. */
export const events: Race = {
  name: 'events-and-waits',
  width: 6,
  async round({ place, round, tag, random }) {
    const run_id = await place.at(round).submit({ source: waiter(tag), tags: [tag] }, tag);
    const other = place.at(round + 1);
    const armed = await emitUntilArmed(other, run_id, tag, random);
    const { runs, hung } = await other.ended(tag, 1);
    if (hung.length > 0) return hung;
    const { output } = await other.run(runs[0]!.run_id);
    const got = Number(output?.got);
    // What is emitted once the wait is seen is the latest that can be its event.
    return got >= 1 && got <= armed ? [] : [`${run_id} got event ${output?.got}, but waited before event ${armed}`];
  },
};

/** Emits 1, 2, 3… until the run is seen to wait, and one more; answers the number of that. */
async function emitUntilArmed(client: Client, run_id: string, type: string, random: () => number): Promise<number> {
  for (let n = 1; ; n += 1) {
    // The run that was made on one node may be unknown to another for a moment.
    const view = n === 1 ? undefined : await client.run(run_id).catch(() => undefined);
    await client.emit(type, { n }, `${type}-${n}`);
    if (view?.substate || OVER.includes(view?.status ?? '')) return n;
    await pause(random() * 20);
  }
}

/** Runs that an event is to cancel are submitted at one server while another records it. */
export const cancels: Race = {
  name: 'cancel-on',
  width: 2,
  async round({ place, round, tag, random }) {
    const count = 6;
    await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        await pause(random() * 15);
        const body = { source: 'true', requires: ['nowhere'], cancel_on: [tag], tags: [tag] };
        await place.at(round).submit(body, `${tag}-${n}`);
      }).concat([1, 2].map((server) => emitAt(place.at(round + server), tag, random() * 15))),
    );
    // All are armed now, so this one must reach those that the first two came too early for.
    await place.at(round + 1).emit(tag, null, `${tag}-last`);
    const { runs, hung } = await place.at(round + 2).ended(tag, count, 20_000);
    const odd = runs.filter(({ status }) => status !== 'cancelled').map((run) => `${run.run_id} is ${run.status}`);
    return hung.length > 0 ? hung : odd;
  },
};

async function emitAt(client: Client, type: string, ms: number): Promise<void> {
  await pause(ms);
  await client.emit(type, null, `${type}-${ms}`);
}

interface Sent {
  event: string;
  sent: number;
  answered: number;
}

/** Emits of one project at all servers: each is there once, and who came after an answer comes after it. */
export const emits: Race = {
  name: 'emits',
  width: 1,
  async round({ place, tag }) {
    const sent: Sent[] = [];
    const emitter = async (server: number) => {
      for (let n = 0; n < 5; n += 1) {
        const began = performance.now();
        const event = await place.at(server).emit(tag, { n }, `${tag}-${server}-${n}`);
        sent.push({ event, sent: began, answered: performance.now() });
      }
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map(emitter));
    const last = sent.map(({ event }) => event);
    const listed = await listedWith(place.at(1), tag, last.length);
    return inOrder(listed, sent);
  },
};

/** Oldest first. A node may be a moment behind, so it is asked until it has as many. */
async function listedWith(client: Client, type: string, count: number): Promise<string[]> {
  for (const end = performance.now() + 10_000; ; await pause(20)) {
    const found = await client.all<{ event: string }>(`events?type=${type}&`, 'events');
    if (found.length >= count || performance.now() > end) return found.map(({ event }) => event).reverse();
  }
}

function inOrder(listed: readonly string[], sent: readonly Sent[]): string[] {
  const by = new Map(sent.map((one) => [one.event, one]));
  const wrong: string[] = [];
  if (by.size !== sent.length) wrong.push(`${sent.length} emits made ${by.size} events`);
  if (listed.length !== by.size) wrong.push(`${listed.length} of ${by.size} events are listed`);
  let latest = 0;
  for (const event of listed) {
    const one = by.get(event);
    if (!one) wrong.push(`${event} was not emitted`);
    else if (one.answered < latest) wrong.push(`${event} is listed after one that was sent after its answer`);
    latest = Math.max(latest, one?.sent ?? 0);
  }
  return wrong.slice(0, 3);
}
