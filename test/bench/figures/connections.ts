import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Api } from '../api.ts';
import { atMostValue, type Figure, type Row } from '../figure.ts';
import { quantile, timed, times, together } from '../statistics.ts';

const CLIENTS = 256;
/** Runs of each client after its first one, so that the load lasts while others connect. */
const RUNS = 12;
const ASKING = 4;
const GOAL_MS = 300;

const NODE = { node: 'set', config: { values: { text: 'hello' } } };

/** A question on a socket that is opened for it. */
async function askHealth(url: string): Promise<void> {
  const sent = get(new URL('/healthz', url), { agent: false });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await text(response);
  if (response.statusCode !== 200) throw new Error(`/healthz answers ${response.statusCode}`);
}

interface Spans {
  first: number[];
  later: number[];
  health: number[];
}

/** All clients connect at once and go on with runs; others open a socket for each question meanwhile. */
async function crowd(api: Api, runs: number, first: () => Promise<unknown>): Promise<Spans> {
  const spans: Spans = { first: [], later: [], health: [] };
  let working = CLIENTS;
  const client = async () => {
    try {
      spans.first.push(await timed(first));
      spans.later.push(...(await times(runs, () => api.runToEnd(NODE))));
    } finally {
      working -= 1;
    }
  };
  const asking = async () => {
    while (working > 0) spans.health.push(await timed(() => askHealth(api.url)));
  };
  await Promise.all([...Array.from({ length: CLIENTS }, client), ...Array.from({ length: ASKING }, asking)]);
  return spans;
}

export const connections: Figure = {
  name: 'connections',
  summary: `first requests on new sockets, while ${CLIENTS} clients that connected at once make runs of one node`,
  measure: (bench) =>
    bench.at({ agents: 0 }, async (place) => {
      const warm = place.api();
      await together(CLIENTS, 8, () => warm.runToEnd(NODE));
      warm.close();
      const runs = bench.size(RUNS, 3);
      // A client of its own for each crowd, so that the sockets of both are new.
      const [submitting, api] = [place.api(), place.api()];
      const { first: submits } = await crowd(submitting, runs, () => submitting.begin(NODE));
      submitting.close();
      const { first, later, health } = await crowd(api, runs, () => api.runToEnd(NODE));
      api.close();
      const floor = { value: quantile(later, 0.99), is: 'p99 of the same clients on sockets that are open' };
      const row = (figure: string, found: readonly number[]): Row => ({
        figure,
        unit: 'ms',
        ours: quantile(found, 0.99),
        floor,
        goal: atMostValue(GOAL_MS),
        done: found.length,
        note: `median ${quantile(found, 0.5).toFixed(0)} ms`,
      });
      return [
        row(`the first request of each of ${CLIENTS} clients, a submit, p99`, submits),
        row(`the first run of each of ${CLIENTS} clients, p99`, first),
        row('GET /healthz on a new socket meanwhile, p99', health),
      ];
    }),
};
