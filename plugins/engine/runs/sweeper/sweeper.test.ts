import t from 'tap';
import { createWakeups } from '../service/wakeups.ts';
import { type Claimed, RunEngine, RunStore, Wakeups } from '../contract.ts';
import { Sweeper } from './sweeper.ts';
import { bootEngine, messageLog, openTestDatabase, STORES, until, VirtualClock } from '../../../../test/kit/index.ts';

/** A store that holds deadlines only, on a clock of its own: what the loop does is what is tested here. */
function world(lease_ms = 8000) {
  const clock = new VirtualClock();
  const { log, lines } = messageLog();
  const wakeups = createWakeups(log);
  const state = {
    deadlines: [] as number[],
    resolved: [] as { deadline: number; at: number }[],
    overdue: [] as number[],
    ended: [] as { deadline: number; at: number }[],
    sweeps: 0,
    expiries: [] as number[],
    expirable: 0,
    lane_looks: [] as number[],
    idle_lanes: 0,
    failure: undefined as Error | undefined,
    stuck: false,
  };
  const store = {
    async resolveDue(limit: number) {
      state.sweeps += 1;
      if (state.failure) throw state.failure;
      const due = state.stuck ? [] : state.deadlines.filter((deadline) => deadline <= clock.now()).slice(0, limit);
      state.deadlines = state.deadlines.filter((deadline) => !due.includes(deadline));
      for (const deadline of due) state.resolved.push({ deadline, at: clock.now() });
      return { resolved: due.length, next: state.deadlines.length === 0 ? null : Math.min(...state.deadlines) };
    },
    async endOverdue(limit: number) {
      const over = state.overdue.filter((deadline) => deadline <= clock.now()).slice(0, limit);
      state.overdue = state.overdue.filter((deadline) => !over.includes(deadline));
      for (const deadline of over) state.ended.push({ deadline, at: clock.now() });
      return { ended: over.length, next: state.overdue.length === 0 ? null : Math.min(...state.overdue) };
    },
    async expireClaims(limit: number) {
      state.expiries.push(clock.now());
      const expired = Math.min(limit, state.expirable);
      state.expirable -= expired;
      return expired;
    },
    async removeIdleLanes(limit: number) {
      state.lane_looks.push(clock.now());
      const looked = Math.min(limit, state.idle_lanes);
      state.idle_lanes -= looked;
      return looked;
    },
  };
  const sweeper = new Sweeper({ store, wakeups, database: { now: () => clock.now() }, clock, log, lease_ms });
  return { clock, lines, wakeups, state, stop: sweeper.start() };
}

t.test('a deadline that was heard of is met on time, however far the next poll is', async (t) => {
  const { clock, wakeups, state, stop } = world();
  await clock.advance(10_000);
  const deadline = clock.now() + 37;
  state.deadlines.push(deadline);
  wakeups.timer(deadline);
  await clock.advance(37);
  t.same(state.resolved, [{ deadline, at: deadline }]);
  await stop();
  t.equal(clock.armed, 0, 'nothing stays armed');
});

t.test('idle lanes are looked for once a minute, and again at once while there are many', async (t) => {
  const { clock, state, stop } = world();
  await clock.advance(59_000);
  t.same(state.lane_looks.length, 1, 'at the start');
  state.idle_lanes = 250;
  await clock.advance(5000);
  t.equal(state.idle_lanes, 0, 'a few rounds');
  t.equal(state.lane_looks.length, 4);
  await clock.advance(50_000);
  t.equal(state.lane_looks.length, 4);
  await stop();
});

t.test('a run whose time is over is ended on time', async (t) => {
  const { clock, wakeups, state, stop } = world();
  await clock.advance(10_000);
  const deadline = clock.now() + 41;
  state.overdue.push(deadline);
  wakeups.timer(deadline);
  await clock.advance(41);
  t.same(state.ended, [{ deadline, at: deadline }]);
  const known = clock.now() + 333;
  state.overdue.push(known);
  state.deadlines.push(clock.now() + 500);
  await clock.advance(1000);
  t.same(state.ended.at(-1)?.deadline, known, 'and by what a sweep finds');
  await stop();
});

t.test('a deadline that another server armed is met by polling alone, within a second', async (t) => {
  const { clock, state, stop } = world();
  await clock.advance(10_000);
  const deadline = clock.now() + 5;
  state.deadlines.push(deadline);
  await clock.advance(1005);
  t.equal(state.resolved.length, 1);
  const known = clock.now() + 400;
  state.deadlines.push(known);
  await clock.advance(2000);
  t.same(state.resolved[1], { deadline: known, at: known }, 'once a poll saw it, it is met on time');
  await stop();
});

t.test('idle polling backs off to once a second', async (t) => {
  const { clock, state, stop } = world();
  await clock.advance(10_000);
  const before = state.sweeps;
  await clock.advance(10_000);
  t.equal(state.sweeps - before, 10);
  await stop();
});

t.test('more than a batch is taken without a pause', async (t) => {
  const { clock, state, stop } = world();
  await clock.advance(5000);
  const now = clock.now();
  state.deadlines.push(...Array.from({ length: 1050 }, (_, i) => now + 10 + i / 10_000));
  await clock.advance(1300);
  t.equal(state.resolved.length, 1050);
  t.ok(state.resolved.every(({ at }) => at === state.resolved[0]!.at));
  await stop();
});

t.test('a due wait that cannot be resolved is polled for, not spun on', async (t) => {
  const { clock, state, stop } = world();
  state.stuck = true;
  state.deadlines.push(clock.now() - 1);
  await clock.advance(10_000);
  t.ok(state.sweeps < 30, `${state.sweeps} sweeps in ten seconds`);
  state.stuck = false;
  await clock.advance(1000);
  t.equal(state.resolved.length, 1);
  await stop();
});

t.test('claims are looked at every quarter of a lease, and at once while there are more', async (t) => {
  const { clock, state, stop } = world(8000);
  await clock.advance(20_000);
  const gaps = state.expiries.slice(1).map((at, i) => at - state.expiries[i]!);
  t.ok(gaps.length >= 5 && gaps.every((gap) => gap >= 2000 && gap <= 3000), gaps.join(' '));
  state.expirable = 250;
  await clock.advance(3000);
  t.equal(state.expirable, 0);
  await stop();
});

t.test('a failing database is logged once, asked again, and work goes on when it is back', async (t) => {
  const { clock, lines, wakeups, state, stop } = world();
  await clock.advance(1000);
  state.failure = new Error('gone away');
  const deadline = clock.now() + 2000;
  state.deadlines.push(deadline);
  const before = state.sweeps;
  for (let i = 0; i < 60; i++) {
    wakeups.timer(clock.now() + 1_000_000 - i);
    await clock.advance(1000);
  }
  const tries = state.sweeps - before;
  t.ok(state.expiries.length > 10, 'claims are looked at although waits cannot be');
  t.ok(tries >= 12 && tries <= 25, `${tries} tries in a minute, notes of deadlines do not put them off`);
  t.same(lines, ['the sweeper failed; retrying']);
  state.failure = undefined;
  await clock.advance(5000);
  t.equal(state.resolved.length, 1);
  t.equal(lines.length, 2);
  await stop();
});

t.test('stopping in the middle of a sweep waits for it; stopping twice is fine', async (t) => {
  const { clock, state, stop } = world();
  await clock.advance(300);
  await Promise.all([stop(), stop()]);
  const after = state.sweeps;
  await clock.advance(10_000);
  t.equal(state.sweeps, after);
});

// @store: deadlines are claimed by one server.
for (const store of STORES) {
  t.test(
    `${store}: sleeps end on time where they were armed, and on another server when that one is gone`,
    async (t) => {
      const shared = await openTestDatabase(store);
      const one = await bootEngine({ database: shared, idle: false });
      try {
        await one.use(RunEngine).submit(one.submit());
        const nap = { kind: 'sleep', name: '', digest: '', args: null, started_at: 0 };
        const awake = () => new Promise<void>((resolve) => one.use(Wakeups).onWork(resolve));
        const woken = awake();
        await one.use(RunStore).park(await one.claim(), { ...nap, position: 0, ordinal: 0, timeout_ms: 50 });
        await woken;
        const claim = await one.claim();
        t.match(claim.journal, [{ position: 0, kind: 'sleep', exit_code: 0 }]);
        await one.use(RunStore).park(claim, { ...nap, position: 1, ordinal: 1, timeout_ms: 100 });
        await one.close();
        const two = await bootEngine({ database: shared, idle: false });
        let taken: Claimed | undefined;
        await until(async () => {
          [taken] = await two.agent.claim(1);
          return taken !== undefined;
        });
        t.equal(taken!.journal.length, 2);
        await two.close();
      } finally {
        await one.close();
        await shared.drop();
      }
    },
  );
}
