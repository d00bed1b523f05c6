import { FarEnd, send } from '../../../features/support/far-end.ts';
import type { Api } from '../api.ts';
import type { Bench } from '../bench-run.ts';
import { type Figure, mustBe, type Row } from '../figure.ts';
import { sqliteInsertMs } from '../floors.ts';
import { quantile, times, together } from '../statistics.ts';

const ROW = 100;
const AT_ONCE = 50;
const CLIENTS = 32;
const WARM_UP = 20;

interface Parts {
  bench: Bench;
  api: Api;
  far: FarEnd;
  /** Milliseconds of one durable insert. */
  commit_ms: number;
}

const http = (far: FarEnd, id: string) => ({
  id,
  type: 'http',
  config: { url: far.url('/x'), method: 'POST', body: { id } },
});
const graph = (nodes: readonly object[], edges: readonly object[] = []) => ({
  filename: 'graph.json',
  source: JSON.stringify({ version: 'svc-graph/v1', nodes, edges }),
});

/** Milliseconds of so many plain requests to the same far end. */
async function fetchesMs(far: FarEnd, count: number, at_once: number): Promise<number> {
  const body = JSON.stringify({ id: 'x' });
  const headers = { 'content-type': 'application/json' };
  const one = async () => (await fetch(far.url('/x'), { method: 'POST', headers, body })).json();
  await together(at_once, at_once, one);
  const since = performance.now();
  await together(count, at_once, one);
  return performance.now() - since;
}

/** A run of one request, one at a time and by many clients. */
async function single({ bench, api, far, commit_ms }: Parts): Promise<Row[]> {
  const count = bench.size(200, 20);
  const many = bench.size(1000, 64);
  const { config } = http(far, 'one');
  const one = () => api.runToEnd({ node: 'http', config });
  await times(WARM_UP, one);
  const spans = await times(count, one);
  const since = performance.now();
  await together(many, CLIENTS, one);
  const per_s = many / ((performance.now() - since) / 1000);
  const fetch_ms = (await fetchesMs(far, count, 1)) / count;
  const is = 'the same request by fetch + 2 durable inserts';
  const floor_per_s = 1000 / ((await fetchesMs(far, many, CLIENTS)) / many + 2 * commit_ms);
  return [
    {
      figure: 'a run of one request, p50',
      unit: 'ms',
      ours: quantile(spans, 0.5),
      floor: { value: fetch_ms + 2 * commit_ms, is },
      done: count,
    },
    {
      figure: `runs of one request/s, ${CLIENTS} clients`,
      unit: '/s',
      ours: per_s,
      floor: { value: floor_per_s, is },
      done: many,
    },
  ];
}

async function inARow({ bench, api, far, commit_ms }: Parts): Promise<Row> {
  const nodes = Array.from({ length: ROW }, (_, n) => http(far, `n${n}`));
  const edges = nodes.slice(1).map(({ id }, n) => ({ from: `n${n}`, to: id }));
  const document = graph(nodes, edges);
  await api.runToEnd(document);
  const before = far.seen.length;
  const runs = bench.size(5, 1);
  const spans = await times(runs, () => api.runToEnd(document));
  const floor = (await fetchesMs(far, ROW, 1)) + ROW * commit_ms;
  return {
    figure: `${ROW} requests in a row, one run`,
    unit: 'ms',
    ours: quantile(spans, 0.5),
    floor: { value: floor, is: `${ROW} fetches and ${ROW} durable inserts in a row` },
    done: mustBe('requests', far.seen.length - before - ROW - 1, runs * ROW) / runs,
  };
}

async function fanOut({ bench, api, far, commit_ms }: Parts): Promise<Row> {
  const count = bench.size(1000, 100);
  const items = Array.from({ length: count }, (_, n) => n);
  const { type, config } = http(far, 'item');
  const node = { id: 'all', type: 'fan_out', config: { items, concurrency: AT_ONCE, node: { type, config } } };
  const before = far.seen.length;
  const since = performance.now();
  await api.runToEnd(graph([node]));
  const took = performance.now() - since;
  const done = mustBe('requests', far.seen.length - before, count);
  const floor = (await fetchesMs(far, count, AT_ONCE)) + count * commit_ms;
  return {
    figure: `${count} requests of a fan-out, ${AT_ONCE} at once`,
    unit: 'ms',
    ours: took,
    floor: { value: floor, is: `${count} fetches, ${AT_ONCE} at once, and ${count} durable inserts` },
    done,
  };
}

export const requests: Figure = {
  name: 'requests',
  summary: 'runs of http nodes without an agent, against a server of the same machine, on SQLite',
  async measure(bench) {
    const commit_ms = await sqliteInsertMs(bench.size(2000, 300));
    const json = { 'content-type': 'application/json' };
    const far = await FarEnd.open((_seen, response) => send(response, 200, json, '{"ok":true}'));
    try {
      return await bench.at({ agents: 0, env: { SVC_EGRESS_ALLOW: '127.0.0.1' } }, async (place) => {
        const api = place.api();
        const parts = { bench, api, far, commit_ms };
        const rows = [...(await single(parts)), await inARow(parts), await fanOut(parts)];
        api.close();
        return rows;
      });
    } finally {
      await far.close();
    }
  },
};
