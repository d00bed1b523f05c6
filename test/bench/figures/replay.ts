import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../bench-run.ts';
import { atMost, atMostValue, type Figure, mustBe, type Row } from '../figure.ts';
import { roundTripsMs, startsPerSecond } from '../floors.ts';
import { keptSocket, longBash } from '../scripts.ts';
import type { Place } from '../place.ts';

/** Runs a script that parks once, so that its calls are made and then replayed. */
async function twice(place: Place, filename: string, source: string, calls: number): Promise<void> {
  const api = place.api();
  const run_id = await api.submit({ filename, source });
  await api.reaches(run_id, 'waiting');
  await api.signal(run_id, 'go');
  await api.reaches(run_id, 'succeeded');
  mustBe('calls on record', await api.steps(run_id), calls + 1);
  api.close();
}

/** Milliseconds of the replay of a bash script with as many steps. */
async function replayedByBash(place: Place, calls: number): Promise<number> {
  const file = join(place.folder, 'long');
  await twice(place, 'long.sh', longBash(file, calls), calls);
  const passes = (await readFile(file, 'utf8')).trim().split('\n').map(Number);
  mustBe('passes of the long script', passes.length, 2);
  return passes[1]! / 1000;
}

async function keptConnection(place: Place, calls: number): Promise<Row> {
  const file = join(place.folder, 'kept');
  await twice(place, 'kept.mjs', keptSocket(file, calls), calls);
  const { total } = JSON.parse(await readFile(`${file}.replayed`, 'utf8')) as { total: number };
  return {
    figure: `${calls}-step journal replayed, kept connection`,
    unit: 'ms',
    ours: total,
    floor: { value: await roundTripsMs(calls), is: `${calls} round trips on a Unix socket` },
    goal: atMostValue(1500),
    done: calls,
  };
}

async function starts(calls: number): Promise<Row['floor']> {
  const value = (calls / (await startsPerSecond(1, Math.min(calls, 2000)))) * 1000;
  return { value, is: `${calls} × /bin/true from one bash` };
}

async function byBash(bench: Bench, place: Place, how: string, goal: Row['goal']): Promise<Row> {
  const calls = bench.size(10_000, 200);
  const figure = `${calls}-step journal replayed, bash, ${how}`;
  return {
    figure,
    unit: 'ms',
    ours: await replayedByBash(place, calls),
    floor: await starts(calls),
    goal,
    done: calls,
  };
}

const inBash = (bench: Bench, place: Place) => byBash(bench, place, 'in bash', atMostValue(1500));
const nativeClient = (bench: Bench, place: Place) => byBash(bench, place, 'native client', atMost(1.5));

export const replay: Figure = {
  name: 'replay',
  summary: 'a long journal replayed: over a kept connection, by bash itself and by the verb client',
  async measure(bench) {
    const rows = await bench.at({}, async (place) => [
      await keptConnection(place, bench.size(10_000, 500)),
      await inBash(bench, place),
    ]);
    const agent_env = { SVC_AGENT_IN_SHELL: 'off' };
    return [...rows, await bench.at({ agent_env }, (place) => nativeClient(bench, place))];
  },
};
