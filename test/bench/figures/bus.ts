import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { until } from '../../../features/support/process.ts';
import type { Json } from '../../../plugins/engine/runs/contract.ts';
import type { ActivityHost, Assignment, PassEnd } from '../../../plugins/execution/agents/contract.ts';
import type { Bench } from '../bench-run.ts';
import { atMost, type Figure, mustBe, type Row } from '../figure.ts';
import { sqliteBatchedUpdatesMs } from '../floors.ts';
import { withoutProcesses } from '../own-agent.ts';
import type { Place } from '../place.ts';
import { median, times, together } from '../statistics.ts';

const CLIENTS = 64;
const BATCH = 128;
/** Events that are looked at on either end. */
const SPAN = 200;
const PATIENCE_MS = 120_000;

/** Parks a run on an event, without its process. */
async function park(host: ActivityHost, type: string, args: Json = {}): Promise<PassEnd> {
  const call = { position: 0, ordinal: 0, digest: '', args, started_at: Date.now() };
  const answer = await host.park({ ...call, kind: 'wait-event', name: type });
  return 'record' in answer
    ? { end: 'completed', completion: { status: 'succeeded', output: null } }
    : { end: 'parked' };
}

/** Reads the server's own database beside it, for what no route counts quickly. */
async function counting<T>(place: Place, work: (count: (where: string) => number) => Promise<T>): Promise<T> {
  const database = new DatabaseSync(join(place.folder, 'svc.db'), { readOnly: true });
  try {
    return await work((where) => {
      const row = database.prepare(`SELECT COUNT(*) AS n FROM bus_waits WHERE ${where}`).get() as { n: number };
      return row.n;
    });
  } finally {
    database.close();
  }
}

/** From the emit until every wait has its record and its run can be claimed; nobody claims them meanwhile. */
async function waitsWoken(bench: Bench, waits: number): Promise<Row> {
  const floor = {
    value: await sqliteBatchedUpdatesMs(BATCH, waits),
    is: `${waits} updates of a state, ${BATCH} a commit`,
  };
  const ours = await bench.at({ agents: 0 }, (place) =>
    counting(place, async (count) => {
      const api = place.api();
      await withoutProcesses(
        place,
        CLIENTS,
        (_, host) => park(host, 'bench.go'),
        async () => {
          await together(waits, CLIENTS, () => api.submit({ source: 'svc wait-event bench.go\n' }));
          await until('the runs to wait', PATIENCE_MS, async () => count(`state = 'armed'`) === waits || undefined);
        },
      );
      const since = performance.now();
      await api.emit('bench.go', { n: 1 });
      const bound = since + PATIENCE_MS;
      while (count(`state = 'delivered'`) < waits && performance.now() < bound)
        await new Promise((resolve) => setTimeout(resolve, 5));
      const took = performance.now() - since;
      mustBe('waits that were passed over', count(`state <> 'delivered'`), 0);
      api.close();
      return took;
    }),
  );
  return { figure: `${waits} parked waits woken by one event`, unit: 'ms', ours, floor, goal: atMost(5), done: waits };
}

/** One emit at a time, beside waits of its type for other orders and beside none. */
async function besideWaits(bench: Bench, waits: number): Promise<Row> {
  return bench.at({ agents: 0 }, (place) =>
    counting(place, async (count) => {
      const api = place.api();
      let parked = 0;
      const parkOrder = (_: Assignment, host: ActivityHost): Promise<PassEnd> => {
        parked += 1;
        return park(host, 'bench.paid', { when: 'event.payload.order == vars.id', vars: { id: `o-${parked}` } });
      };
      await withoutProcesses(place, CLIENTS, parkOrder, async () => {
        await together(waits, CLIENTS, () => api.submit({ source: 'svc wait-event bench.paid\n' }));
        await until('the runs to wait', PATIENCE_MS, async () => count(`state = 'armed'`) === waits || undefined);
      });
      const emitOf = async (type: string) =>
        median(await times(SPAN, (n) => api.emit(type, { order: `other-${n}`, total: n })));
      for (const type of ['bench.free', 'bench.paid']) await emitOf(type);
      const floor = { value: await emitOf('bench.free'), is: 'an event that nothing waits for' };
      const ours = await emitOf('bench.paid');
      mustBe('waits for other orders', count(`state = 'armed'`), waits);
      await api.emit('bench.paid', { order: `o-${waits}` });
      mustBe('waits for this order', count(`state <> 'armed'`), 1);
      api.close();
      const figure = `an emit beside ${waits} waits that compare a member`;
      return { figure, unit: 'ms', ours, floor, goal: atMost(6), done: SPAN };
    }),
  );
}

/** One emit at a time, at the beginning and after so many. */
async function growth(bench: Bench, events: number): Promise<Row> {
  return bench.at({ agents: 0 }, async (place) => {
    const api = place.api();
    const some = async () => median(await times(SPAN, (n) => api.emit(`bench.type-${n % 20}`, { n })));
    await some();
    const first = await some();
    await together(events, CLIENTS, (n) => api.emit(`bench.type-${n % 20}`, { n }));
    const last = await some();
    api.close();
    const floor = { value: first, is: 'the first events' };
    return { figure: `cost per event after ${events}`, unit: 'ms', ours: last, floor, goal: atMost(1.2), done: events };
  });
}

export const bus: Figure = {
  name: 'bus',
  summary: 'waits woken by an event, and the cost of an event beside waits and as the bus grows, on SQLite',
  async measure(bench) {
    return [
      await waitsWoken(bench, bench.size(10_000, 500)),
      await besideWaits(bench, bench.size(10_000, 500)),
      await growth(bench, bench.size(200_000, 10_000)),
    ];
  },
};
