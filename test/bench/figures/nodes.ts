import type { Api } from '../api.ts';
import type { Bench } from '../bench-run.ts';
import { atMost, type Figure, mustBe, type Row } from '../figure.ts';
import { mysqlCommitsPerSecond, sqliteBatchedUpdatesMs, sqliteInsertMs } from '../floors.ts';
import type { Place } from '../place.ts';
import { median, quantile, timed, times, together } from '../statistics.ts';

const WARM_UP = 50;
const CLIENTS = [32, 256] as const;
const ITEMS = 1000;
const AT_ONCE = 50;
const BATCH = 128;
const ROW = 100;

const NODE = { node: 'set', config: { values: { text: { $expr: 'input.text' } } }, input: { text: 'hello' } };

const FAN_OUT = {
  version: 'svc-graph/v1',
  nodes: [
    {
      id: 'each',
      type: 'fan_out',
      config: {
        items: Array.from({ length: ITEMS }, (_, n) => n),
        concurrency: AT_ONCE,
        node: { type: 'set', config: { values: { $expr: 'item * 2' } } },
      },
    },
  ],
};

const one = (api: Api) => api.runToEnd(NODE);

async function latency(bench: Bench, api: Api, commit_ms: number): Promise<Row> {
  const count = bench.size(1000, 50);
  await times(WARM_UP, () => one(api));
  const spans = await times(count, () => one(api));
  const floor = { value: commit_ms, is: 'one durable insert' };
  const note = `p99 ${quantile(spans, 0.99).toFixed(1)} ms`;
  return {
    figure: 'a run of one node, POST with wait, p50',
    unit: 'ms',
    ours: median(spans),
    floor,
    done: count,
    note,
  };
}

async function throughput(bench: Bench, place: Place, on: string, floor: Row['floor']): Promise<Row[]> {
  const rows: Row[] = [];
  for (const clients of CLIENTS) {
    const count = bench.size(4000, 300);
    const api = place.api();
    await together(clients, clients, () => one(api));
    const ms = await timed(() => together(count, clients, () => one(api)));
    api.close();
    const figure = `runs of one node/s, ${clients} clients, ${on}`;
    rows.push({ figure, unit: '/s', ours: (count / ms) * 1000, floor, done: count });
  }
  return rows;
}

/** The run is made, done and over in the transaction that records the event. */
async function fromEvent(bench: Bench, api: Api, commit_ms: number): Promise<Row> {
  const count = bench.size(500, 50);
  const before = await api.count('succeeded');
  const handler = {
    filename: undefined,
    source: undefined,
    node: 'set',
    config: { values: { $expr: 'input.payload' } },
  };
  await api.setHandler('bench', ['bench.go'], handler);
  await times(WARM_UP, (n) => api.emit('bench.go', { n }));
  const spans = await times(count, (n) => api.emit('bench.go', { n }));
  mustBe('runs that are over when their event is answered', (await api.count('succeeded')) - before, WARM_UP + count);
  const floor = { value: commit_ms, is: 'one durable insert' };
  return { figure: 'event to the end of a run of one node, p50', unit: 'ms', ours: median(spans), floor, done: count };
}

async function fanOut(bench: Bench, api: Api): Promise<Row> {
  const runs = bench.size(5, 1);
  const body = { filename: 'graph.json', source: JSON.stringify(FAN_OUT) };
  const spans = await times(runs, async () => {
    const { output } = await api.runToEnd(body);
    mustBe('items', (output as number[]).length, ITEMS);
  });
  const floor = { value: await sqliteBatchedUpdatesMs(BATCH, ITEMS), is: `${ITEMS} updates, ${BATCH} a commit` };
  const figure = `a fan-out over ${ITEMS} items, ${AT_ONCE} at once`;
  return { figure, unit: 'ms', ours: median(spans), floor, goal: atMost(2), done: runs * ITEMS };
}

/** Each node reads the output of the one before it. */
const IN_A_ROW = {
  version: 'svc-graph/v1',
  nodes: Array.from({ length: ROW }, (_, n) => ({
    id: `n${n}`,
    type: 'set',
    config: { values: { n: { $expr: n === 0 ? '1' : `nodes.n${n - 1}.output.n + 1` } } },
  })),
  edges: Array.from({ length: ROW - 1 }, (_, n) => ({ from: `n${n}`, to: `n${n + 1}` })),
};

async function inARow(bench: Bench, api: Api, commit_ms: number): Promise<Row> {
  const body = { filename: 'graph.json', source: JSON.stringify(IN_A_ROW) };
  const runs = bench.size(20, 2);
  const spans = await times(runs, async () => {
    const { output } = await api.runToEnd(body);
    mustBe('nodes', (output as { n: number }).n, ROW);
  });
  const floor = { value: ROW * commit_ms, is: `${ROW} durable inserts in a row` };
  return {
    figure: `${ROW} nodes in a row, one run`,
    unit: 'ms',
    ours: median(spans),
    floor,
    goal: atMost(2),
    done: runs * ROW,
  };
}

export const nodes: Figure = {
  name: 'nodes',
  summary:
    'runs of one node without an agent, by hand and by events, a fan-out over many items, and many nodes in a row',
  async measure(bench) {
    const commit_ms = await sqliteInsertMs(bench.size(2000, 300));
    const rows = await bench.at({ agents: 0 }, async (place) => {
      const api = place.api();
      const own = [await latency(bench, api, commit_ms)];
      const floor = { value: 1000 / commit_ms, is: 'one-row commits/s' };
      own.push(...(await throughput(bench, place, 'SQLite', floor)));
      own.push(await fromEvent(bench, api, commit_ms), await fanOut(bench, api), await inARow(bench, api, commit_ms));
      api.close();
      return own;
    });
    const more = await bench.withDatabase(async (database_url) => {
      const value = await mysqlCommitsPerSecond(database_url, 32, bench.size(5000, 300));
      const floor = { value, is: 'one-row commits/s, 32 connections' };
      return bench.at({ agents: 0, database_url }, (place) => throughput(bench, place, 'MySQL', floor));
    });
    return [...rows, ...(more ?? [])];
  },
};
