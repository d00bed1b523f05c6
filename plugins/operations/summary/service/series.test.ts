import { randomInt } from 'node:crypto';
import t from 'tap';
import type { EventLog } from '../../../events/bus/contract.ts';
import { Series, TYPES } from './series.ts';
import { bucketStarts, type Window, WINDOWS } from './windows.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 31, 12, 34, 56);

interface Logged {
  seq: number;
  type: string;
  at: number;
}

/** A log in memory, and what was asked of it. */
function world() {
  const state = { now: START, events: [] as Logged[], probes: 0, counted: 0 };
  const log: Pick<EventLog, 'last' | 'numberAt' | 'count'> = {
    last: async () => state.events.at(-1)?.seq ?? 0,
    async numberAt(_, at, { low, high }) {
      state.probes += 1;
      const found = state.events.find((event) => event.seq >= low && event.seq < high && event.at >= at);
      return found?.seq ?? high;
    },
    async count(_, types, from, to) {
      const inside = state.events.filter(({ seq, type }) => seq >= from && seq < to && types.includes(type));
      state.counted += inside.length;
      const counts = new Map<string, number>();
      for (const { type } of inside) counts.set(type, (counts.get(type) ?? 0) + 1);
      return counts;
    },
  };
  const series = new Series({ database: { now: () => state.now }, log });
  const record = (type: string) => state.events.push({ seq: (state.events.at(-1)?.seq ?? 0) + 1, type, at: state.now });
  return { state, series, record };
}

/** The same, counted plainly. */
function plain(events: readonly Logged[], window: Window, now: number) {
  const { bucket_ms } = WINDOWS[window];
  return bucketStarts(window, now).map((at) => ({
    at,
    counts: Object.fromEntries(
      TYPES.map((type) => [
        type,
        events.filter((event) => event.type === type && event.at >= at && event.at < at + bucket_ms).length,
      ]),
    ),
  }));
}

t.test('buckets begin at even times, and the last holds now', async (t) => {
  for (const window of Object.keys(WINDOWS) as Window[]) {
    const starts = bucketStarts(window, START);
    const { bucket_ms, buckets } = WINDOWS[window];
    t.equal(starts.length, buckets);
    t.ok(starts.every((at) => at % bucket_ms === 0));
    t.ok(starts.at(-1)! <= START && START < starts.at(-1)! + bucket_ms);
    t.ok(buckets <= 60);
  }
});

t.test('however time and the log go on, it is what a plain count is', async (t) => {
  const { state, series, record } = world();
  const types = [...TYPES, 'other', 'run.other'];
  for (let round = 0; round < 150; round++) {
    for (let n = randomInt(0, 8); n > 0; n--) {
      record(types[randomInt(types.length)]!);
      state.now += randomInt(0, 30_000);
    }
    state.now += [0, 1000, 70_000, 40 * 60_000, 4 * HOUR][randomInt(5)]!;
    for (const window of ['1h', '24h', '7d'] as const)
      t.same(await series.read('prj_1', window), plain(state.events, window, state.now), `round ${round}, ${window}`);
  }
});

t.test('a further look counts only what came since', async (t) => {
  const { state, series, record } = world();
  for (let n = 0; n < 5000; n++) {
    record('run.succeeded');
    state.now += 10_000;
  }
  await series.read('prj_1', '24h');
  const first = { ...state };
  for (let n = 0; n < 3; n++) record('run.failed');
  await series.read('prj_1', '24h');
  t.equal(state.counted - first.counted, 3);
  t.ok(state.probes - first.probes <= 2, `${state.probes - first.probes} looks for places`);
  await series.read('prj_1', '24h');
  t.equal(state.counted - first.counted, 3, 'nothing new, nothing counted');
});
