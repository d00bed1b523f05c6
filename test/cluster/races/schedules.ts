import { until } from '../../../features/support/process.ts';
import { together } from '../../bench/statistics.ts';
import type { Client } from '../client.ts';
import type { ClusterPlace } from '../place.ts';
import { pause, type RaceResult } from './race.ts';

const SCHEDULES = 10;
const TICKS = 'events?type=schedule.tick&';

interface Tick {
  event: string;
  payload: { schedule: string; due: string };
}

/** All servers watch the same clocks: each second of each schedule has one event and one run. A round is one tick. */
export async function schedules(place: ClusterPlace, rounds: number): Promise<RaceResult> {
  const began = performance.now();
  const busy = place.complaints.busy;
  const client = place.at(0).in('ticks');
  await client.makeProject();
  const names = Array.from({ length: SCHEDULES }, (_, n) => `every-${n}`);
  const workflow = { source: 'true', requires: ['nowhere'] };
  for (const name of names) await client.ask('PUT', `schedules/${name}`, { cron: '* * * * * *', workflow });
  await until(`${rounds} ticks`, 60_000 + rounds * 1000, async () =>
    (await client.all(TICKS, 'events')).length >= rounds ? true : undefined,
  );
  for (const name of names) await client.ask('DELETE', `schedules/${name}`);
  const violations = [...(await eachOnce(client, names)), ...(await place.newlyBroken())];
  const seconds = (performance.now() - began) / 1000;
  const failed = Math.min(violations.length, rounds);
  return { name: 'schedules', rounds, failed, violations, seconds, busy: place.complaints.busy - busy };
}

/** A tick of another server may be on its way while the schedules are removed, so both lists are read until they fit. */
async function atRest(client: Client) {
  for (const end = performance.now() + 10_000; ; await pause(200)) {
    const listed = await client.all<{ event: string }>(TICKS, 'events');
    const runs = await client.all<{ trigger: { event: string } }>('runs?', 'runs');
    if (listed.length === runs.length || performance.now() > end) return { listed, runs };
  }
}

async function eachOnce(client: Client, names: readonly string[]): Promise<string[]> {
  const { listed, runs } = await atRest(client);
  const ticks: Tick[] = [];
  await together(listed.length, 8, async (n) => ticks.push(await client.ask('GET', `events/${listed[n]!.event}`)));
  const wrong = names.flatMap((name) => {
    const own = ticks.filter(({ payload }) => payload.schedule === name);
    const seconds = own.map(({ payload }) => Date.parse(payload.due) / 1000).sort((a, b) => a - b);
    const [first = 0] = seconds;
    return seconds.every((second, n) => second === first + n) ? [] : [`${name} is due at ${seconds.join(' ')}`];
  });
  const started = runs.map(({ trigger }) => trigger.event).sort();
  if (
    started.join() ===
    ticks
      .map(({ event }) => event)
      .sort()
      .join()
  )
    return wrong;
  return [...wrong, `${ticks.length} ticks made ${runs.length} runs`];
}
