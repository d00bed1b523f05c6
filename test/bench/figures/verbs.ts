import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../bench-run.ts';
import { atMost, type Figure, type Goal, mustBe, type Row } from '../figure.ts';
import { sqliteInsertMs } from '../floors.ts';
import { withNodeFallbacks } from '../own-agent.ts';
import type { Place } from '../place.ts';
import { stepsInTurns } from '../scripts.ts';
import { median } from '../statistics.ts';

const CLIENTS = {
  native: { new_goal: atMost(2), replay_goal: atMost(1.5) },
  // Starting Node is what it costs; a machine without a compiler has this instead of nothing.
  Node: { new_goal: undefined, replay_goal: undefined },
} satisfies Record<string, { new_goal: Goal | undefined; replay_goal: Goal | undefined }>;

/** One run whose script times itself, on its first pass and on its replay. */
async function measureAt(place: Place, count: number) {
  const api = place.api();
  const run_id = await api.submit({ source: stepsInTurns(place.folder, count) });
  await api.reaches(run_id, 'waiting');
  await api.signal(run_id, 'go');
  await api.reaches(run_id, 'succeeded');
  const done = mustBe('steps and waits on record', await api.steps(run_id), count + 2);
  const read = async (name: string) => {
    const turns = (await readFile(join(place.folder, name), 'utf8')).trim().split('\n');
    mustBe(`turns of ${name}`, turns.length, count);
    const of = (column: number) => median(turns.map((turn) => Number(turn.split(' ')[column]))) / 1000;
    return { floor: of(0), ours: of(1) };
  };
  const fresh = await read('new');
  const replayed = await read('replayed');
  api.close();
  return { fresh, replayed, done };
}

async function rowsOf(bench: Bench, client: keyof typeof CLIENTS, insert_ms: number): Promise<Row[]> {
  const count = client === 'native' ? bench.size(500, 60) : bench.size(30, 3);
  const measured = await bench.at({ agents: client === 'native' ? 1 : 0 }, (place) =>
    client === 'native' ? measureAt(place, count) : withNodeFallbacks(place, () => measureAt(place, count)),
  );
  const { fresh, replayed, done } = measured;
  const { new_goal, replay_goal } = CLIENTS[client];
  return [
    {
      figure: `recorded step replayed, bash, ${client} client`,
      unit: 'ms',
      ours: replayed.ours,
      floor: { value: replayed.floor, is: '/bin/true from the same bash' },
      goal: replay_goal,
      done,
    },
    {
      figure: `new step -- /bin/true, SQLite, ${client} client`,
      unit: 'ms',
      ours: fresh.ours,
      floor: { value: fresh.floor + insert_ms, is: '/bin/true by bash + one durable insert' },
      goal: new_goal,
      done,
    },
  ];
}

export const verbs: Figure = {
  name: 'verbs',
  summary: 'a step replayed and a new one, by the native client and by the Node fallback',
  async measure(bench) {
    const insert_ms = await sqliteInsertMs(bench.size(2000, 300));
    return [...(await rowsOf(bench, 'native', insert_ms)), ...(await rowsOf(bench, 'Node', insert_ms))];
  },
};
