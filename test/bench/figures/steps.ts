import type { Api } from '../api.ts';
import type { Bench } from '../bench-run.ts';
import { atLeast, type Figure, mustBe, type Row } from '../figure.ts';
import { mysqlCommitsPerSecond, sqliteInsertMs, startsPerSecond } from '../floors.ts';
import { manySteps } from '../scripts.ts';
import { together } from '../statistics.ts';

interface Store {
  name: string;
  mysql: boolean;
  /** One-row commits a second by one writer, and by 32 connections at once. */
  commits: { one: number; many: number };
}

interface Load {
  scripts: number;
  each: number;
}

/** One place for all loads, one after the other. */
function measureAt(bench: Bench, loads: readonly Load[], database_url?: string): Promise<number[]> {
  const slots = Math.max(...loads.map(({ scripts }) => scripts));
  return bench.at({ database_url, slots }, async (place) => {
    const api = place.api();
    await api.reaches(await api.submit({ source: manySteps(20) }), 'succeeded');
    const found: number[] = [];
    for (const load of loads) found.push(await stepsPerSecond(api, load));
    api.close();
    return found;
  });
}

async function stepsPerSecond(api: Api, { scripts, each }: Load): Promise<number> {
  const runs: string[] = [];
  await together(scripts, 16, async () => runs.push(await api.submit({ source: manySteps(each) })));
  await together(runs.length, 8, async (index) => await api.reaches(runs[index]!, 'succeeded'));
  const seconds = await api.secondsOf(runs);
  let recorded = 0;
  for (const run_id of runs) recorded += await api.steps(run_id);
  return mustBe('steps on record', recorded, scripts * each) / seconds;
}

async function rowsOf(bench: Bench, store: Store): Promise<Row[]> {
  const alone = bench.size(500, 40);
  const scripts = bench.size(64, 8);
  const each = bench.size(40, 3);
  const loads = [
    { scripts: 1, each: alone },
    { scripts, each },
  ];
  // Right before the loads, because other work of the machine comes and goes.
  const starts = {
    one: await startsPerSecond(1, bench.size(1000, 100)),
    many: await startsPerSecond(scripts, bench.size(60, 5)),
  };
  const found = store.mysql
    ? await bench.withDatabase((url) => measureAt(bench, loads, url))
    : await measureAt(bench, loads);
  if (found === undefined) return [];
  const [one = 0, many = 0] = found;
  return [
    {
      figure: `steps/s, 1 script, ${store.name}`,
      unit: '/s',
      ours: one,
      floor: {
        value: 1 / (1 / starts.one + 1 / store.commits.one),
        is: '/bin/true + one-row commit, one after the other',
      },
      goal: atLeast(0.5),
      done: alone,
    },
    {
      figure: `steps/s, ${scripts} scripts, ${store.name}, of commits`,
      unit: '/s',
      ours: many,
      floor: { value: store.commits.many, is: 'one-row commits/s, 32 connections (SQLite: one)' },
      done: scripts * each,
      note: 'processes are the limit on this machine: see the next line',
    },
    {
      figure: `steps/s, ${scripts} scripts, ${store.name}, of processes`,
      unit: '/s',
      ours: many,
      floor: { value: starts.many, is: `/bin/true/s by ${scripts} bashes` },
      goal: atLeast(0.5),
      done: scripts * each,
    },
  ];
}

export const steps: Figure = {
  name: 'steps',
  summary: 'steps a second of 1 and of 64 scripts, on SQLite and on MySQL',
  async measure(bench) {
    const commit = 1000 / (await sqliteInsertMs(bench.size(2000, 300)));
    const sqlite = { name: 'SQLite', mysql: false, commits: { one: commit, many: commit } };
    const rows = await rowsOf(bench, sqlite);
    const commits = await bench.withDatabase(async (url) => ({
      one: await mysqlCommitsPerSecond(url, 1, bench.size(2000, 300)),
      many: await mysqlCommitsPerSecond(url, 32, bench.size(10_000, 2000)),
    }));
    if (!commits) return rows;
    return [...rows, ...(await rowsOf(bench, { name: 'MariaDB', mysql: true, commits }))];
  },
};
