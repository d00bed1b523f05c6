import t from 'tap';
import type { Database, Metrics } from '../../../../kernel/contracts/index.ts';
import { createMatchNotifier } from './match-notifier.ts';
import { Deliverer, MATCHED_TOPIC } from './deliverer.ts';
import { messageLog, PlaceSealer, VirtualClock } from '../../../../test/kit/index.ts';

/** A database stand-in that counts calls and can fail: the test is about the loop. */
function world() {
  const clock = new VirtualClock();
  const { log, lines } = messageLog();
  const fired = createMatchNotifier();
  const listeners = new Map<string, () => void>();
  const wakeups = {
    topic: (topic: string) => listeners.get(topic)?.(),
    onTopic: (topic: string, listen: () => void) => {
      listeners.set(topic, listen);
      return () => void listeners.delete(topic);
    },
  };
  const state = { passes: [] as number[], failure: undefined as Error | undefined, cancels: [] as object[] };
  const database = {
    async read(statement: string) {
      if (statement.includes('FROM bus_cancels')) return state.cancels;
      if (!statement.includes('FROM bus_waits')) return [];
      state.passes.push(clock.now());
      if (state.failure) throw state.failure;
      return [];
    },
  } as unknown as Database;
  const metrics = { counter: () => ({ inc: () => undefined }) } as unknown as Metrics;
  const never = async (): Promise<never> => {
    throw new Error('there is nothing to deliver');
  };
  const resolver = { resolve: never, resolveAll: never };
  const parts = {
    database,
    sealer: new PlaceSealer(),
    bus: { read: never },
    resolver,
    runs: { cancelRun: never },
    masks: { inherit: never },
  };
  const deliverer = new Deliverer({ ...parts, matches: fired, wakeups, clock, log, metrics });
  /** How many passes begin within this time. */
  const passesIn = async (ms: number) => {
    const before = state.passes.length;
    await clock.advance(ms);
    return state.passes.length - before;
  };
  return { clock, lines, fired, wakeups, state, passesIn, stop: deliverer.start() };
}

t.test('it polls, ever more slowly, and at once when something was fired here', async (t) => {
  const { clock, fired, wakeups, state, passesIn, stop } = world();
  await clock.advance(10_000);
  t.equal(await passesIn(10_000), 10, 'once a second when nothing happens');
  await clock.advance(100);
  fired.notify();
  t.equal(await passesIn(0), 1, 'at once');
  t.equal(await passesIn(900), 0);
  wakeups.topic(MATCHED_TOPIC);
  t.equal(await passesIn(49), 0, 'what others fired is theirs first');
  t.equal(await passesIn(1), 1);
  await stop();
  t.equal(clock.armed, 0, 'nothing stays armed');
  fired.notify();
  const passes = state.passes.length;
  await clock.advance(5000);
  t.equal(state.passes.length, passes, 'and nothing is done any more');
});

t.test('a failing database is told of once, asked less often, and told of when it is back', async (t) => {
  const { clock, lines, fired, state, passesIn, stop } = world();
  state.failure = new Error('the database is away');
  await clock.advance(30_000);
  t.same(lines, ['delivering fired waits and cancellations failed; retrying']);
  t.equal(await passesIn(10_000), 2, 'every five seconds');
  fired.notify();
  t.equal(await passesIn(0), 0, 'a ring does not hammer it');
  state.failure = new Error('away in another way');
  await clock.advance(5000);
  t.equal(lines.length, 2);
  state.failure = undefined;
  await clock.advance(5000);
  t.equal(lines.at(-1), 'fired waits and cancellations are delivered again');
  fired.notify();
  t.equal(await passesIn(0), 1);
  await stop();
});

t.test('what fails by itself is told of once, tried again with every pass, and slows nothing', async (t) => {
  const { clock, lines, fired, state, passesIn, stop } = world();
  state.cancels = [{ org_id: 'o', project_id: 'p', run_id: 'run_1', type: 'go', event_id: 'evt_1' }];
  await clock.advance(30_000);
  t.same(lines, ['delivering a fired wait or cancellation failed; retrying']);
  t.equal(await passesIn(10_000), 10, 'it is no reason to hurry');
  fired.notify();
  t.equal(await passesIn(0), 1, 'and none to leave others waiting');
  state.cancels = [];
  await clock.advance(1000);
  state.cancels = [{ org_id: 'o', project_id: 'p', run_id: 'run_2', type: 'go', event_id: 'evt_1' }];
  await clock.advance(1000);
  t.equal(lines.length, 2, 'another time, it is told of again');
  await stop();
});
