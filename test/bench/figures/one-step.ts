import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { openSpawner } from '../../../plugins/scripts/native/spawner.ts';
import type { Api } from '../api.ts';
import type { Bench } from '../bench-run.ts';
import { atLeast, atMost, atMostValue, type Figure, mustBe, type Row } from '../figure.ts';
import { inFolder, sqliteInsertMs } from '../floors.ts';
import type { Place } from '../place.ts';
import { processCpu } from '../process-cpu.ts';
import { median, quantile, timed, times, together } from '../statistics.ts';
import { walBetween, walState } from '../../kit/wal.ts';

const WARM_UP = 30;
const CLIENTS = [1, 32, 256] as const;
/** What is the same on MySQL may take so much more. */
const MYSQL_RATIO = 1.5;
const ON_MYSQL = ' on MySQL';
const ONE_STEP = { filename: 'bench.sh', source: 'svc step one -- true\n' };
const { PATH = '' } = process.env;

const one = (api: Api) => api.runToEnd(ONE_STEP);

interface Measured {
  place: Place;
  api: Api;
  /** Which store, for the names of the rows. */
  on: string;
}

interface Floors {
  /** ms from the start of `bash -c true` by the native spawner to its end. */
  start_ms: number;
  /** `bash -eu` started and reaped a second, on all cores. */
  starts: number;
  commit_ms: number;
}

function floorsOf(bench: Bench): Promise<Floors> {
  return inFolder(async (runtime_dir) => {
    const spawner = await openSpawner({ runtime_dir });
    const bash = (...args: string[]) =>
      spawner.spawn({ argv: ['/bin/bash', ...args], env: { PATH }, cwd: runtime_dir }).ended;
    try {
      await bash('-c', 'true');
      const start_ms = median(await times(bench.size(300, 30), () => bash('-c', 'true')));
      const count = bench.size(2000, 200);
      const ms = await timed(() => together(count, availableParallelism() * 2, () => bash('-euc', 'true')));
      return { start_ms, starts: (count / ms) * 1000, commit_ms: await sqliteInsertMs(bench.size(2000, 300)) };
    } finally {
      await spawner.close();
    }
  });
}

/** Each log of a run is read at once: after some runs the log begins anew, and such a run is left out. */
async function written(bench: Bench, place: Place, api: Api): Promise<Row[]> {
  const database = join(place.folder, 'svc.db');
  const kib: number[] = [];
  const commits: number[] = [];
  for (let run = 0; run < bench.size(100, 10); run += 1) {
    const before = await walState(database);
    await one(api);
    const found = walBetween(before, await walState(database));
    if (found === undefined) continue;
    kib.push(found.bytes / 1024);
    commits.push(found.commits);
  }
  const done = kib.length;
  return [
    {
      figure: 'written to the log of SQLite by a one-step run',
      unit: 'KiB',
      ours: median(kib),
      goal: atMostValue(160),
      done,
    },
    { figure: 'commits of a one-step run', unit: '', ours: median(commits), done },
  ];
}

async function latency(bench: Bench, { api, on }: Measured, { start_ms, commit_ms }: Floors): Promise<Row> {
  await times(WARM_UP, () => one(api));
  const spans = await times(bench.size(500, 30), () => one(api));
  return {
    figure: `a one-step bash run${on}, POST with wait, p50`,
    unit: 'ms',
    ours: median(spans),
    floor: { value: start_ms + 3 * commit_ms, is: '`bash -c true` by the spawner + 3 durable inserts' },
    goal: atMost(4),
    done: spans.length,
    note: `p99 ${quantile(spans, 0.99).toFixed(1)} ms`,
  };
}

async function throughput(bench: Bench, { place, on }: Measured, clients: number, { starts }: Floors): Promise<Row[]> {
  const count = bench.size(clients === 1 ? 500 : 3000, 60);
  const api = place.api();
  await together(clients, clients, () => one(api));
  const server = place.servers[0]!.service.child.pid!;
  const agent = place.agents[0]!.child.pid!;
  const before = [await processCpu(server), await processCpu(agent)];
  const ms = await timed(() => together(count, clients, () => one(api)));
  const after = [await processCpu(server), await processCpu(agent)];
  api.close();
  const each = after.map(({ own_ms }, index) => (own_ms - before[index]!.own_ms) / count);
  const floor = { value: starts, is: 'starts of `bash -eu` a second by the spawner' };
  const rate: Row = {
    figure: `one-step bash runs/s${on}, ${clients} clients`,
    unit: '/s',
    ours: (count / ms) * 1000,
    floor,
    ...(clients > 1 ? { goal: atLeast(0.5) } : {}),
    done: count,
  };
  const names = ['server', 'agent'];
  return [
    rate,
    ...each.map((value, index) => ({
      figure: `processor time of the ${names[index]} a run${on}, ${clients} clients`,
      unit: 'ms',
      ours: value,
      done: count,
    })),
  ];
}

/** What is measured on either store: the latency of one client, and the rates of several. */
async function onStore(bench: Bench, place: Place, on: string, floors: Floors): Promise<Row[]> {
  const measured = { place, api: place.api(), on };
  const rows = [await latency(bench, measured, floors)];
  if (on === '') rows.push(...(await written(bench, place, measured.api)));
  for (const clients of CLIENTS) rows.push(...(await throughput(bench, measured, clients, floors)));
  mustBe('failed runs', await measured.api.count('failed'), 0);
  measured.api.close();
  return rows;
}

/** The rows of MariaDB, each with that of SQLite as its floor. */
function besideSqlite(rows: readonly Row[], sqlite: readonly Row[]): Row[] {
  return rows.map((row) => {
    const same = sqlite.find(({ figure }) => figure === row.figure.replace(ON_MYSQL, ''))!;
    const floor = { value: same.ours, is: 'the same on SQLite' };
    return { ...row, floor, goal: row.unit === '/s' ? atLeast(1 / MYSQL_RATIO) : atMost(MYSQL_RATIO) };
  });
}

export const oneStep: Figure = {
  name: 'one-step',
  summary: 'runs of a bash script with one step by 1, 32 and 256 clients, on SQLite and on MySQL',
  async measure(bench) {
    const floors = await floorsOf(bench);
    const sqlite = await bench.at({}, (place) => onStore(bench, place, '', floors));
    const mysql = await bench.withDatabase((database_url) =>
      bench.at({ database_url }, (place) => onStore(bench, place, ON_MYSQL, floors)),
    );
    return [...sqlite, ...besideSqlite(mysql ?? [], sqlite)];
  },
};
