import t, { type Test } from 'tap';
import { iso } from '../../../../kernel/contracts/index.ts';
import type { NewEvent } from '../../bus/contract.ts';
import { openWorld, SCOPE, type World } from '../testing/world.ts';
import { openTestDatabase, STORES, type Store } from '../../../../test/kit/index.ts';

const START = Date.parse('2026-11-21T10:00:00Z');
const MINUTE = 60_000;
const NOBODY = { principal: null, request_id: 'r', ip: '' };
const MINUTELY = { cron: '* * * * *', workflow: { source: 'true' } };

async function opened(t: Test, store: Store) {
  const shared = await openTestDatabase(store);
  const clock = {
    at: START,
    now(): number {
      return this.at;
    },
  };
  const world = await openWorld(shared, clock);
  t.teardown(async () => {
    await world.close();
    await shared.drop();
  });
  /** Everything that happens until a time. */
  const until = async (at: number) => {
    for (clock.at = at; ; ) {
      const { ticked } = await world.ticker.tickDue();
      if (ticked + (await world.waiting.startReady()) === 0) return;
    }
  };
  return { shared, clock, world, until };
}

const about = (name: string) => ({ scope: SCOPE, name, by: NOBODY });
const set = (world: World, body: Parameters<World['schedules']['set']>[1]) => world.schedules.set(about('one'), body);
const next = (world: World) => world.schedules.upcoming(about('one'), 1);
const dueOf = ({ payload }: NewEvent) => (payload as { due: string }).due;
const minute = (n: number) => iso(START + n * MINUTE);

// @store: which due time starts is decided under locks.
for (const store of STORES) {
  t.test(`${store}: skip: a due time does not start while an earlier run is open`, async (t) => {
    const { world, until } = await opened(t, store);
    await set(world, { ...MINUTELY, overlap: 'skip' });
    await until(START + MINUTE);
    const [first] = await world.runs();
    await until(START + 2 * MINUTE);
    t.equal((await world.runs()).length, 1);
    t.match(await next(world), {
      upcoming: [
        {
          due: minute(3),
          outcome: 'skip',
          reason: `skipped because of ${first!.run_id}, unless that has ended by then`,
        },
      ],
      skipped: [{ due: minute(2), reason: `${first!.run_id} had not ended` }],
    });
    t.same((await world.events()).map(dueOf), [minute(1)], 'what is skipped is no event');
    t.match((await world.schedules.read(about('one'))).last_tick, { due: minute(1), run_id: first!.run_id });
    await world.end(first!);
    await until(START + 3 * MINUTE);
    t.equal((await world.runs()).length, 2);
    t.match(first!.trigger, { schedule: 'one', overlap: 'skip' });
    for (let n = 4; n < 40; n++) await until(START + n * MINUTE);
    t.equal((await next(world)).skipped.length, 20, 'the newest');
  });

  t.test(`${store}: queue: due times wait for the runs before them, in order, up to a limit`, async (t) => {
    const { world, until } = await opened(t, store);
    await set(world, { ...MINUTELY, overlap: 'queue' });
    for (let n = 1; n <= 3; n++) await until(START + n * MINUTE);
    t.equal((await world.runs()).length, 1);
    t.same((await world.events()).map(dueOf).sort(), [minute(1), minute(2), minute(3)], 'each is an event at its time');
    const [first] = await world.runs();
    t.match((await next(world)).waiting, [
      { due: minute(2), backfill: false, reason: `waits for ${first!.run_id}` },
      { due: minute(3) },
    ]);
    await world.end(first!);
    await until(START + 3 * MINUTE);
    const second = (await world.runs()).find(({ run_id }) => run_id !== first!.run_id)!;
    const event = (await world.events()).find((one) => dueOf(one) === minute(2))!;
    t.equal(second.trigger.event, event.event_id);
    await world.schedules.pause(about('one'));
    await world.end(second);
    await until(START + 3 * MINUTE);
    t.equal((await world.runs()).length, 2, 'a paused schedule starts nothing');
    t.match((await next(world)).waiting, [{ reason: 'the schedule is paused' }]);
    await world.schedules.resume(about('one'));
    await until(START + 3 * MINUTE);
    t.equal((await world.runs()).length, 3);
    for (let n = 4; n <= 105; n++) await until(START + n * MINUTE);
    t.equal((await next(world)).waiting.length, 100);
    t.match((await next(world)).skipped, [
      { due: minute(105), reason: /100 due times were queued/ },
      { due: minute(104) },
    ]);
    await world.schedules.remove(about('one'));
    await until(START + 106 * MINUTE);
    t.equal((await world.runs()).length, 3, 'what waited is gone with it');
    await set(world, MINUTELY);
    t.same((await next(world)).waiting, []);
  });

  t.test(`${store}: queue: a due time that waits longer than its deadline is skipped`, async (t) => {
    const { world, until } = await opened(t, store);
    await set(world, { ...MINUTELY, cron: '*/10 * * * *', overlap: 'queue', deadline: '15m' });
    await until(START + 10 * MINUTE);
    await until(START + 20 * MINUTE);
    const [first] = await world.runs();
    await until(START + 36 * MINUTE);
    t.match(await next(world), {
      waiting: [],
      skipped: [{ due: minute(20), reason: `it waited for ${first!.run_id} longer than its deadline of 15m` }],
    });
  });

  t.test(`${store}: cancel: earlier runs are cancelled, and the due time starts`, async (t) => {
    const { world, until } = await opened(t, store);
    await set(world, { ...MINUTELY, overlap: 'cancel' });
    await until(START + MINUTE);
    const [first] = await world.runs();
    t.match((await next(world)).upcoming, [{ outcome: 'cancel' }]);
    await until(START + 2 * MINUTE);
    t.same(world.cancelled, [first!.run_id]);
    t.equal((await world.runs()).length, 2);
  });

  t.test(`${store}: cancel: of several servers, none cancels the run that another has just started`, async (t) => {
    const { shared, clock, world } = await opened(t, store);
    const other = await openWorld(shared, clock);
    t.teardown(() => other.close());
    await set(world, { ...MINUTELY, overlap: 'cancel' });
    for (let n = 1; n <= 10; n++) {
      clock.at = START + n * MINUTE;
      await Promise.all([world, other, world, other].map(({ ticker }) => ticker.tickDue()));
    }
    const runs = (await world.runs()).map(({ run_id }) => run_id);
    t.equal(runs.length, 10);
    const cancelled = new Set([...world.cancelled, ...other.cancelled]);
    const open = runs.filter((run_id) => !cancelled.has(run_id));
    t.equal(open.length, 1);
    t.same([...world.lines, ...other.lines], []);
  });

  t.test(`${store}: jitter moves the start, and neither the due time nor the ones after it`, async (t) => {
    const { world, clock, until } = await opened(t, store);
    await set(world, { ...MINUTELY, cron: '@hourly', jitter: '30m' });
    const { due, starts_at } = (await next(world)).upcoming[0]!;
    const starts = Date.parse(starts_at);
    t.ok(starts > Date.parse(due) && starts < Date.parse(due) + 30 * MINUTE, starts_at);
    t.match(await world.schedules.read(about('one')), { next_due: due, starts_at, jitter: '30m' });
    await until(starts - 1);
    t.same(await world.runs(), []);
    t.equal((await next(world)).next[0], due, 'it is still to come');
    await until(starts);
    t.same((await world.events()).map(dueOf), [due]);
    t.equal((await world.schedules.read(about('one'))).next_due, iso(Date.parse(due) + 60 * MINUTE));
    t.ok(clock.at);
  });

  t.test(`${store}: a catch-up window starts the missed due times in it one by one`, async (t) => {
    const { world, until } = await opened(t, store);
    await set(world, { ...MINUTELY, catch_up: '3m' });
    await until(START + 10 * MINUTE + 1000);
    t.same((await world.events()).map(dueOf).sort(), [8, 9, 10].map(minute));
    t.match((await next(world)).skipped, [{ due: minute(7), reason: /^7 due times: no server was running/ }]);
  });

  t.test(`${store}: a backfill starts each due time once, though it is repeated`, async (t) => {
    const { world, until } = await opened(t, store);
    await set(world, MINUTELY);
    await until(START + MINUTE);
    const range = { from: minute(-4), to: minute(1) };
    t.match(await world.schedules.backfill(about('one'), range), { due_times: 6, added: 5 }, 'without the regular one');
    t.match(await world.schedules.backfill(about('one'), range), { due_times: 6, added: 0 });
    await until(START + MINUTE);
    t.equal((await world.runs()).length, 2, 'one after another');
    for (let ends = 0; ends < 10; ends++) {
      await world.end(...(await world.runs()));
      await until(START + MINUTE);
    }
    t.equal((await world.runs()).length, 6, 'the regular one, and five of the backfill');
    t.same((await world.events()).map(dueOf).sort(), [-4, -3, -2, -1, 0, 1].map(minute));
    t.match(await world.schedules.backfill(about('one'), { ...range, overlap: 'allow' }), { due_times: 6, added: 0 });
    await until(START + MINUTE);
    t.equal((await world.runs()).length, 6, 'a later repeat starts none again');
    t.same((await next(world)).waiting, []);
    t.match(await world.schedules.backfill(about('one'), { from: minute(-20), to: minute(-11), overlap: 'allow' }), {
      added: 10,
    });
    await until(START + MINUTE);
    t.equal((await world.runs()).length, 16, 'all at once');
    t.match((await world.events()).find((one) => dueOf(one) === minute(-20))!.payload, { backfill: true });
  });

  t.test(`${store}: several servers start what waits once`, async (t) => {
    const { shared, clock, world } = await opened(t, store);
    const other = await openWorld(shared, clock);
    t.teardown(() => other.close());
    await set(world, MINUTELY);
    await world.schedules.backfill(about('one'), { from: minute(-49), to: minute(0), overlap: 'allow' });
    for (let round = 0; round < 50; round++)
      await Promise.all([world, other, world, other].map(({ waiting }) => waiting.startReady()));
    t.equal((await world.events()).length, 50);
    t.equal((await world.runs()).length, 50);
    t.same([...world.lines, ...other.lines], []);
  });

  t.test(`${store}: what a backfill and the options refuse`, async (t) => {
    const { world } = await opened(t, store);
    await set(world, MINUTELY);
    const backfill = (from: string, to?: string) => world.schedules.backfill(about('one'), { from, ...(to && { to }) });
    await t.rejects(backfill(minute(-2000), minute(0)), {
      code: 'backfill_too_large',
      message: /the 1000th is at 2026/,
    });
    await t.rejects(backfill(minute(-1), minute(1)), { message: /to must not be in the future/ });
    await t.rejects(backfill(minute(0), minute(-1)), { message: /from must not be after/ });
    await t.rejects(backfill('yesterday'), { message: /from is neither a time/ });
    const body = { cron: '* * * * * *', jitter: '2d', catch_up: '1d', deadline: 'soon', overlap: 'skip' as const };
    const rejection = await set(world, body).then(
      () => undefined,
      (error: unknown) => error,
    );
    t.match(rejection, {
      extras: {
        errors: [
          { pointer: '/jitter', message: 'must be 1s to 1d' },
          { pointer: '/deadline', message: /is not a duration/ },
          { pointer: '/catch_up', message: /more than 1000 due times/ },
          { pointer: '/overlap', message: /needs a workflow/ },
        ],
      },
    });
  });
}
