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
  // Bash answers by itself; what is left is the round trip, the command and the commit.
  'in bash': { new_goal: atMost(1.3), replay_goal: atMost(0.2) },
  native: { new_goal: atMost(2), replay_goal: atMost(1.5) },
  // Starting Node is what it costs; a machine without a compiler has this instead of nothing.
  Node: { new_goal: undefined, replay_goal: undefined },
} satisfies Record<string, { new_goal: Goal | undefined; replay_goal: Goal | undefined }>;

type Client = keyof typeof CLIENTS;

/** One run whose script times itself, on its first pass and on its replay. */
async function measureAt(place: Place, count: number) {
  const api = place.api();
  const run_id = await api.submit({ source: stepsInTurns(place.folder, count) });
  await api.reaches(run_id, 'waiting');
  await api.signal(run_id, 'go');
  await api.reaches(run_id, 'succeeded');
  const done = mustBe('steps and waits on record', await api.steps(run_id), 2 * count + 2);
  const read = async (name: string) => {
    const turns = (await readFile(join(place.folder, name), 'utf8')).trim().split('\n');
    mustBe(`turns of ${name}`, turns.length, count);
    const of = (column: number) => median(turns.map((turn) => Number(turn.split(' ')[column]))) / 1000;
    return { floor: of(0), ours: of(1), taken_floor: of(2), taken: of(3) };
  };
  const fresh = await read('new');
  const replayed = await read('replayed');
  api.close();
  return { fresh, replayed, done };
}

async function measured(bench: Bench, client: Client) {
  const count = client === 'Node' ? bench.size(30, 3) : bench.size(500, 60);
  if (client === 'Node')
    return bench.at({ agents: 0 }, (place) => withNodeFallbacks(place, () => measureAt(place, count)));
  const agent_env: Record<string, string> = client === 'native' ? { SVC_AGENT_IN_SHELL: 'off' } : {};
  return bench.at({ agent_env }, (place) => measureAt(place, count));
}

async function rowsOf(bench: Bench, client: Client, insert_ms: number): Promise<Row[]> {
  const { fresh, replayed, done } = await measured(bench, client);
  const { new_goal, replay_goal } = CLIENTS[client];
  const by = client === 'in bash' ? client : `${client} client`;
  return [
    {
      figure: `recorded step replayed, bash, ${by}`,
      unit: 'ms',
      ours: replayed.ours,
      floor: { value: replayed.floor, is: '/bin/true from the same bash' },
      goal: replay_goal,
      done,
    },
    {
      figure: `recorded step replayed, $(…), ${by}`,
      unit: 'ms',
      ours: replayed.taken,
      floor: { value: replayed.taken_floor, is: '$(/bin/true) in the same bash' },
      done,
    },
    {
      figure: `new step -- /bin/true, SQLite, ${by}`,
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
  summary: 'a step replayed and a new one: by bash itself, the native client and the Node fallback',
  async measure(bench) {
    const insert_ms = await sqliteInsertMs(bench.size(2000, 300));
    const rows: Row[] = [];
    for (const client of Object.keys(CLIENTS) as Client[]) rows.push(...(await rowsOf(bench, client, insert_ms)));
    return rows;
  },
};
