import type { Api } from '../api.ts';
import type { Bench } from '../bench-run.ts';
import { atLeast, atMost, atMostValue, type Figure, type Goal, mustBe, type Row } from '../figure.ts';
import { logWritten } from '../log-written.ts';
import type { Place } from '../place.ts';
import { processCpu } from '../process-cpu.ts';
import { scriptFloor, type SpawnerFloors, spawnerFloors } from '../spawner-floors.ts';
import { median, quantile, timed, times, together } from '../statistics.ts';

const WARM_UP = 30;
const CLIENTS = [1, 32, 256] as const;
const ONE_STEP = { filename: 'bench.sh', source: 'svc step one -- true\n' };
const one = (api: Api) => api.runToEnd(ONE_STEP);

interface Store {
  name: string;
  database_url?: string;
  latency: { floor: Row['floor']; goal: Goal };
  /** By number of clients. */
  rate(clients: number): { floor: Row['floor']; goal?: Goal };
}

const onSqlite = (floors: SpawnerFloors): Store => ({
  name: 'SQLite',
  latency: { floor: scriptFloor(floors), goal: atMost(4) },
  rate: (clients) => ({
    floor: { value: floors.starts, is: 'starts of `bash -eu` a second by the spawner' },
    ...(clients > 1 ? { goal: atLeast(0.5) } : {}),
  }),
});

/** Beside what was measured on SQLite: at most 1.5 times as slow. */
function onMysql(database_url: string, sqlite: Measured): Store {
  const is = 'the same on SQLite';
  return {
    name: 'MySQL',
    database_url,
    latency: { floor: { value: sqlite.latency_ms, is }, goal: atMost(1.5) },
    rate: (clients) => ({ floor: { value: sqlite.rates.get(clients)!, is }, goal: atLeast(0.67) }),
  };
}

interface Measured {
  latency_ms: number;
  rates: Map<number, number>;
  rows: Row[];
}

/** Of a server that has just started, which still compiles its code while it works, and then of one that runs. */
async function latency(bench: Bench, api: Api, store: Store): Promise<[Row, Row]> {
  await times(WARM_UP, () => one(api));
  const row = async (when: string): Promise<Row> => {
    const spans = await times(bench.size(500, 30), () => one(api));
    return {
      figure: `a one-step bash run, POST with wait, p50${when}, ${store.name}`,
      unit: 'ms',
      ours: median(spans),
      done: spans.length,
      note: `p99 ${quantile(spans, 0.99).toFixed(1)} ms`,
    };
  };
  const first = await row(', first 500');
  return [{ ...(await row('')), ...store.latency }, first];
}

/** Processor time of a run by process: what the machine has to give for it, whatever else goes on. */
async function rate(bench: Bench, place: Place, store: Store, clients: number): Promise<[number, Row[]]> {
  const count = bench.size(clients === 1 ? 500 : 3000, 60);
  const api = place.api();
  await together(clients, clients, () => one(api));
  const pids = [place.servers[0]!.service.child.pid!, place.agents[0]!.child.pid!];
  const spent = async () => {
    const [server, agent] = await Promise.all(pids.map(processCpu));
    return [server!.own_ms, agent!.own_ms, agent!.children_ms];
  };
  const before = await spent();
  const ms = await timed(() => together(count, clients, () => one(api)));
  const after = await spent();
  api.close();
  const by = `${clients} ${clients === 1 ? 'client' : 'clients'}, ${store.name}`;
  const per_s = (count / ms) * 1000;
  const names = ['the server', 'the agent', 'the spawner, the script and its step'];
  return [
    per_s,
    [
      { figure: `one-step bash runs/s, ${by}`, unit: '/s', ours: per_s, ...store.rate(clients), done: count },
      ...names.map((name, index) => ({
        figure: `processor time a one-step run, ${name}, ${by}`,
        unit: 'ms',
        ours: (after[index]! - before[index]!) / count,
        done: count,
      })),
    ],
  ];
}

async function written(bench: Bench, place: Place, store: Store, clients: number): Promise<Row[]> {
  const api = place.api();
  const count = bench.size(clients === 1 ? 200 : 1000, 30);
  const { bytes, syncs, done } = await logWritten(place, store.database_url, (tell) =>
    together(count, clients, () => one(api).then(tell)),
  );
  api.close();
  if (done === 0) throw new Error('the log of the database began anew whenever it was looked at');
  const by = `${clients} ${clients === 1 ? 'client' : 'clients'}, ${store.name}`;
  const goal = clients === 1 && store.database_url === undefined ? { goal: atMostValue(160) } : {};
  return [
    { figure: `log of the database a one-step run, ${by}`, unit: 'KiB', ours: bytes / 1024 / done, ...goal, done },
    { figure: `fsyncs of that log a one-step run, ${by}`, unit: '', ours: syncs / done, done },
  ];
}

async function measureOn(bench: Bench, store: Store): Promise<Measured> {
  const { database_url } = store;
  return bench.at(database_url === undefined ? {} : { database_url }, async (place) => {
    const api = place.api();
    const [steady, first] = await latency(bench, api, store);
    const rows = [steady, first];
    const rates = new Map<number, number>();
    for (const clients of CLIENTS) {
      const [per_s, found] = await rate(bench, place, store, clients);
      rates.set(clients, per_s);
      rows.push(...found, ...(await written(bench, place, store, clients)));
    }
    rows.push({
      figure: `one-step bash runs/s by 256 clients beside 32, ${store.name}`,
      unit: '/s',
      ours: rates.get(256)!,
      floor: { value: rates.get(32)!, is: 'the same by 32 clients' },
      goal: atLeast(1),
      done: bench.size(3000, 60),
    });
    mustBe('failed runs', await api.count('failed'), 0);
    api.close();
    return { latency_ms: steady.ours, rates, rows };
  });
}

export const oneStep: Figure = {
  name: 'one-step',
  summary: 'runs of a bash script with one step by 1, 32 and 256 clients: time, processors, log and fsyncs',
  async measure(bench) {
    const sqlite = await measureOn(bench, onSqlite(await spawnerFloors(bench)));
    const mysql = await bench.withDatabase((url) => measureOn(bench, onMysql(url, sqlite)));
    return [...sqlite.rows, ...(mysql?.rows ?? [])];
  },
};
