import type { Assignment } from '../../../plugins/execution/agents/contract.ts';
import type { Api } from '../api.ts';
import type { Bench } from '../bench-run.ts';
import { atLeast, atMostValue, type Figure, mustBe, type Row } from '../figure.ts';
import { sqliteBatchedPerSecond, sqliteInsertMs } from '../floors.ts';
import { restifyPerSecond } from '../http-floor.ts';
import { withoutProcesses } from '../own-agent.ts';
import { median, timed, together, wallMs } from '../statistics.ts';

const WARM_UP = 10;
/** At once, as in the figures of others. */
const CLIENTS = 64;
const BATCH = 64;

/** From the emit to the agent that has the run of its handler, which starts no process. */
async function toClaimed(bench: Bench, count: number): Promise<Row> {
  const floor = { value: await sqliteInsertMs(bench.size(2000, 300)), is: 'one durable insert' };
  const spans = await bench.at({ agents: 0 }, async (place) => {
    const api = place.api();
    await api.setHandler('bench', ['bench.go'], { when: 'event.payload.n >= 0' });
    const claims = new Map<string, (claim: { at: number; run_id: string }) => void>();
    const found: number[] = [];
    const play = async ({ run_id, envelope }: Assignment) => {
      claims.get(JSON.stringify(envelope.payload))?.({ at: wallMs(), run_id });
      return { end: 'completed', completion: { status: 'succeeded', output: null } } as const;
    };
    await withoutProcesses(place, 4, play, async () => {
      for (let n = 0; n < WARM_UP + count; n++) {
        const claimed = Promise.withResolvers<{ at: number; run_id: string }>();
        claims.set(JSON.stringify({ n }), claimed.resolve);
        const since = wallMs();
        await api.emit('bench.go', { n });
        const { at, run_id } = await claimed.promise;
        found.push(at - since);
        await api.reaches(run_id, 'succeeded');
      }
    });
    mustBe('handler runs', await api.count('succeeded'), WARM_UP + count);
    api.close();
    return found.slice(WARM_UP);
  });
  return {
    figure: 'event to run claimed, p50',
    unit: 'ms',
    ours: median(spans),
    floor,
    goal: atMostValue(1),
    done: count,
  };
}

async function emitsPerSecond(api: Api, count: number): Promise<number> {
  const ms = await timed(() => together(count, CLIENTS, async (n) => void (await api.emit('bench.noise', { n }))));
  return (count / ms) * 1000;
}

/** Handlers that no event of these fits, in front of emits from many clients. */
async function emitsBeside(bench: Bench, count: number, sizes: readonly number[]): Promise<number[]> {
  return bench.at({ agents: 0 }, async (place) => {
    const api = place.api();
    await emitsPerSecond(api, Math.ceil(count / 4));
    const found: number[] = [];
    let registered = 0;
    for (const size of sizes) {
      await together(size - registered, 8, async (n) => {
        const at = registered + n;
        await api.setHandler(`bench-${at}`, [at % 2 === 0 ? `other.${at}` : `o${at}.*`], {
          when: `event.payload.n > ${at}`,
        });
      });
      registered = size;
      found.push(await emitsPerSecond(api, count));
    }
    api.close();
    return found;
  });
}

export const handlers: Figure = {
  name: 'handlers',
  summary: 'from an event to the claim of the run of its handler, and emits beside many handlers, on SQLite',
  async measure(bench) {
    const count = bench.size(300, 20);
    const emits = bench.size(20_000, 400);
    const claimed = await toClaimed(bench, count);
    const batched = await sqliteBatchedPerSecond(BATCH, bench.size(50_000, 5000));
    const bare = await restifyPerSecond(emits, CLIENTS);
    const [none = 0, few = 0, many = 0] = await emitsBeside(bench, emits, [0, 10, bench.size(1000, 50)]);
    const row = { unit: '/s', done: emits };
    const alone = { value: none, is: 'the same without handlers' };
    return [
      claimed,
      {
        ...row,
        figure: `emits/s, ${CLIENTS} clients, no handlers`,
        ours: none,
        floor: { value: batched, is: `inserts/s, ${BATCH} a commit` },
        goal: atLeast(0.2),
      },
      {
        ...row,
        figure: `emits/s, ${CLIENTS} clients, no handlers, beside HTTP`,
        ours: none,
        floor: { value: bare, is: 'the same requests/s to a bare Restify' },
        goal: atLeast(0.5),
      },
      {
        ...row,
        figure: `emits/s, ${CLIENTS} clients, 10 handlers of other types`,
        ours: few,
        floor: alone,
        goal: atLeast(0.7),
      },
      {
        ...row,
        figure: `emits/s, ${CLIENTS} clients, ${bench.size(1000, 50)} handlers of other types`,
        ours: many,
        floor: alone,
        goal: atLeast(0.7),
      },
    ];
  },
};
