import t, { type Test } from 'tap';
import { ServiceError } from '../../../../kernel/contracts/index.ts';
import type { NewEvent } from '../../bus/contract.ts';
import type { RunCreation } from '../../../engine/runs/contract.ts';
import { openWorld, SCOPE, type World } from '../testing/world.ts';
import { CHANGED_TOPIC } from './schedules.ts';
import { TickLoop } from './tick-loop.ts';
import { messageLog, openTestDatabase, STORES, type Store, VirtualClock } from '../../../../test/kit/index.ts';

const START = Date.parse('2026-11-21T10:00:00Z');
const NOBODY = { principal: null, request_id: 'r', ip: '' };
const SCRIPT = { source: 'true' };

/** A clock that a test sets. */
class Standing {
  at = START;
  now(): number {
    return this.at;
  }
}

async function opened(t: Test, store: Store, creation?: Partial<RunCreation>) {
  const shared = await openTestDatabase(store);
  const clock = new Standing();
  const world = await openWorld(shared, clock, creation);
  t.teardown(async () => {
    await world.close();
    await shared.drop();
  });
  return { shared, clock, world };
}

/** Runs every due time on time until an end, like a server that never sleeps. */
async function until(world: World, clock: Standing, end: number): Promise<number> {
  let ticks = 0;
  while (clock.at <= end) {
    const { ticked, next } = await world.ticker.tickDue();
    ticks += ticked;
    if (ticked > 0) continue;
    if (next === null || next > end) break;
    clock.at = next;
  }
  return ticks;
}

const dueOf = ({ payload }: NewEvent) => (payload as { due: string }).due;
const about = (name: string) => ({ scope: SCOPE, name, by: NOBODY });
const set = (world: World, name: string, body: Parameters<World['schedules']['set']>[1]) =>
  world.schedules.set(about(name), body);

// @store: a due time is claimed by one server.
for (const store of STORES) {
  t.test(`${store}: months go by, and each due time has its tick, its event and its run`, async (t) => {
    const { clock, world } = await opened(t, store);
    await set(world, 'monthly', { cron: '0 9 1 * *', timezone: 'Europe/Berlin', workflow: SCRIPT, subject: 'books' });
    await set(world, 'weekly', { cron: '30 2 * * SUN', timezone: 'Europe/Berlin' });
    await set(world, 'never-again', { cron: '0 0 0 24 12 *', paused: true });
    const months = 9;
    const ticks = await until(world, clock, Date.parse('2027-08-31T00:00:00Z'));
    const events = await world.events();
    t.equal(ticks, events.length);
    const monthly = events.filter(({ source_name }) => source_name === 'monthly');
    t.equal(monthly.length, months);
    t.same(monthly.map(dueOf), [
      '2026-12-01T08:00:00.000Z',
      '2027-01-01T08:00:00.000Z',
      '2027-02-01T08:00:00.000Z',
      '2027-03-01T08:00:00.000Z',
      '2027-04-01T07:00:00.000Z',
      '2027-05-01T07:00:00.000Z',
      '2027-06-01T07:00:00.000Z',
      '2027-07-01T07:00:00.000Z',
      '2027-08-01T07:00:00.000Z',
    ]);
    const weekly = events.filter(({ source_name }) => source_name === 'weekly');
    t.equal(weekly.length, 41);
    t.ok(weekly.map(dueOf).includes('2027-03-28T01:00:00.000Z'), 'the Sunday without half past two has one too');
    const runs = await world.runs();
    t.equal(runs.length, months, 'a schedule without a workflow starts none');
    const [first] = monthly;
    t.match(first, {
      type: 'schedule.tick',
      key: 'books',
      source: 'schedule',
      fields: { schedule: 'monthly' },
      payload: { schedule: 'monthly', cron: '0 9 1 * *', timezone: 'Europe/Berlin' },
      generation: 0,
      trusted: true,
      refusable: false,
      dedup: `schedule:monthly:${dueOf(first!)}`,
    });
    t.notOk('missed' in (first!.payload as object));
    t.match(
      runs.find(({ trigger }) => trigger.event === first!.event_id),
      {
        ...SCRIPT,
        subject: 'books',
        trigger: { type: 'schedule.tick', schedule: 'monthly' },
        envelope: { type: 'schedule.tick', $ref: `bus:${first!.event_id}` },
        triggered: true,
        trusted: true,
        generation: 0,
      },
    );
    const view = await world.schedules.read(about('monthly'));
    t.equal(view.last_tick?.event, monthly.at(-1)!.event_id);
    t.equal(view.next_due, '2027-09-01T07:00:00.000Z');
    t.same(world.lines, []);
  });

  t.test(`${store}: several servers record each due time once`, async (t) => {
    const { shared, clock, world } = await opened(t, store);
    const other = await openWorld(shared, clock);
    t.teardown(() => other.close());
    for (let i = 0; i < 20; i++) await set(world, `s${i}`, { cron: '* * * * * *', workflow: SCRIPT });
    let ticked = 0;
    for (let second = 0; second < 10; second++) {
      clock.at += 1000;
      const both = await Promise.all([world, other, world, other].map(({ ticker }) => ticker.tickDue()));
      ticked += both.reduce((sum, one) => sum + one.ticked, 0);
    }
    const events = await world.events();
    t.equal(events.length, 200);
    t.equal(ticked, 200);
    t.equal(new Set(events.map((one) => `${one.source_name} ${dueOf(one)}`)).size, 200);
    t.equal((await world.runs()).length, 200);
    t.same([...world.lines, ...other.lines], []);
  });

  t.test(`${store}: what was missed is recorded once, what is late one by one`, async (t) => {
    const { clock, world } = await opened(t, store);
    await set(world, 'minutely', { cron: '* * * * *', workflow: SCRIPT });
    clock.at = START + 600_000 + 30_000;
    await until(world, clock, clock.at);
    t.match(await world.events(), [
      {
        payload: {
          due: '2026-11-21T10:10:00.000Z',
          missed: true,
          missed_count: 10,
          first_due: '2026-11-21T10:01:00.000Z',
          last_due: '2026-11-21T10:10:00.000Z',
        },
      },
    ]);
    t.equal((await world.runs()).length, 1);
    t.equal((await world.schedules.read(about('minutely'))).last_tick?.missed_count, 10);
    clock.at = START + 660_000;
    t.match(await world.ticker.tickDue(), { ticked: 1 }, 'the next one is on time');
    t.notOk('missed' in ((await world.events()).at(-1)!.payload as object));
    t.equal((await world.schedules.read(about('minutely'))).last_tick?.missed_count, undefined);
    await set(world, 'minutely', { cron: '* * * * * *' });
    clock.at += 5000;
    await until(world, clock, clock.at);
    t.equal((await world.events()).length, 2 + 5);
  });

  t.test(`${store}: a replaced schedule is due anew, a removed or paused one never`, async (t) => {
    const { clock, world } = await opened(t, store);
    t.match(await set(world, 'one', { cron: '1 * * * *' }), { made: true });
    clock.at += 30_000;
    t.match(await set(world, 'one', { cron: '5 * * * *', workflow: SCRIPT }), { made: false });
    t.same(world.topics, [CHANGED_TOPIC, CHANGED_TOPIC]);
    clock.at = START + 120_000;
    t.match(await world.ticker.tickDue(), { ticked: 0, next: START + 300_000 }, 'the old time is not due');
    clock.at = START + 300_000;
    t.match(await world.ticker.tickDue(), { ticked: 1 });
    await set(world, 'one', { cron: '5 * * * *', paused: true });
    clock.at = START + 7_200_000;
    t.match(await world.ticker.tickDue(), { ticked: 0, next: null });
    await set(world, 'one', { cron: '5 * * * *' });
    t.match(await world.ticker.tickDue(), { ticked: 0, next: clock.at + 300_000 }, 'a pause is nothing missed');
    await world.schedules.remove(about('one'));
    clock.at += 300_000;
    t.match(await world.ticker.tickDue(), { ticked: 0, next: null });
    t.equal((await world.events()).length, 1);
    await set(world, 'one', { cron: '* * * * *' });
    t.equal((await world.schedules.read(about('one'))).last_tick, undefined, 'it is another one');
  });

  t.test(`${store}: one that cannot tick holds up no other`, async (t) => {
    const gone = { code: 'workflow_kind_unknown', status: 422, title: '', next: '' };
    let broken = true;
    const refusing: Partial<RunCreation> = {
      createIn: async (_, runs) => {
        if (runs.some(({ source }) => source === 'refused')) throw new ServiceError(gone, 'it is refused');
        if (broken && runs.some(({ source }) => source === 'broken')) throw new Error('it is broken');
        return [];
      },
    };
    const { clock, world } = await opened(t, store, refusing);
    await set(world, 'broken', { cron: '* * * * *', workflow: { source: 'broken' } });
    for (let i = 0; i < 20; i++) await set(world, `fine-${i}`, { cron: '* * * * *', workflow: SCRIPT });
    await set(world, 'refused', { cron: '* * * * *', workflow: { source: 'refused' } });
    clock.at += 60_000;
    t.match(await world.ticker.tickDue(), { ticked: 21 });
    t.match((await world.schedules.read(about('refused'))).last_tick, { error: 'it is refused', run_id: undefined });
    t.same(world.lines, ['ticking a schedule failed; retrying']);
    t.match(await world.ticker.tickDue(), { ticked: 0 }, 'it is left alone for a while');
    t.equal(world.lines.length, 1);
    broken = false;
    clock.at += 5000;
    t.match(await world.ticker.tickDue(), { ticked: 1 });
    t.equal((await world.events()).length, 22);
  });

  t.test(`${store}: a due time that the bus knows starts no second run`, async (t) => {
    const { clock, world } = await opened(t, store);
    await set(world, 'one', { cron: '* * * * *', workflow: SCRIPT });
    clock.at += 60_000;
    await world.ticker.tickDue();
    const [event] = await world.events();
    await world.schedules.remove(about('one'));
    clock.at -= 30_000;
    await set(world, 'one', { cron: '* * * * *', workflow: SCRIPT });
    clock.at += 30_000;
    t.match(await world.ticker.tickDue(), { ticked: 1 });
    t.equal((await world.events()).length, 1);
    t.equal((await world.runs()).length, 1);
    t.match((await world.schedules.read(about('one'))).last_tick, { event: event!.event_id, run_id: undefined });
  });
}

/** The loop alone, on a virtual clock. */
function loopWorld() {
  const clock = new VirtualClock(START);
  const { log, lines } = messageLog();
  const state = { due: [] as number[], ticks: [] as number[], looks: 0, failure: undefined as Error | undefined };
  let changed = () => {};
  const ticker = {
    async tickDue() {
      state.looks++;
      if (state.failure) throw state.failure;
      const ready = state.due.filter((due) => due <= clock.now());
      state.due = state.due.filter((due) => due > clock.now());
      for (const _ of ready) state.ticks.push(clock.now());
      return { ticked: ready.length, next: state.due.length === 0 ? null : Math.min(...state.due) };
    },
  };
  const onTopic = (topic: string, listen: () => void) => {
    t.equal(topic, CHANGED_TOPIC);
    changed = listen;
    return () => {
      changed = () => {};
    };
  };
  const loop = new TickLoop({
    ticker,
    waiting: { startReady: async () => 0 },
    wakeups: { onTopic },
    database: clock,
    clock,
    log,
  });
  return { clock, state, lines, change: () => changed(), stop: loop.start() };
}

t.test('ticks are on time, whether they were known, told of or found', async (t) => {
  const { clock, state, change, stop } = loopWorld();
  await clock.advance(100);
  state.due.push(START + 1700);
  await clock.advance(2000);
  t.same(state.ticks, [START + 1700], 'found within a second, and then waited for');
  const soon = clock.now() + 40;
  state.due.push(soon);
  change();
  await clock.advance(40);
  t.same(state.ticks[1], soon, 'told of');
  const looks = state.looks;
  await clock.advance(10_000);
  t.ok(state.looks - looks <= 11, `${state.looks - looks} looks in ten idle seconds`);
  await Promise.all([stop(), stop()]);
  t.equal(clock.armed, 0);
});

t.test('a failing database is logged once and asked less often, and the ticks come when it is back', async (t) => {
  const { clock, state, lines, change, stop } = loopWorld();
  await clock.advance(10);
  state.failure = new Error('gone away');
  state.due.push(clock.now() + 500);
  const before = state.looks;
  for (let second = 0; second < 60; second++) {
    change();
    await clock.advance(1000);
  }
  t.ok(state.looks - before < 25, `${state.looks - before} looks in a minute`);
  t.same(lines, ['ticking schedules failed; retrying']);
  state.failure = undefined;
  await clock.advance(5000);
  t.equal(state.ticks.length, 1);
  t.same(lines.length, 2);
  await stop();
});
