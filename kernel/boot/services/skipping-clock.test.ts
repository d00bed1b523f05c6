import t, { type Test } from 'tap';
import { iso, type Log, rest, type IterationResult, WorkLoop } from '../../contracts/index.ts';
import { SkippingClock } from './skipping-clock.ts';

const HOUR_MS = 3_600_000;
const quiet = () => {};
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
const all = async () => ({ recurring: true });

/** A loop with long pauses, so that only wake-ups and looks make it work. */
function looping(t: Test, clock: SkippingClock, round: () => Promise<IterationResult>): WorkLoop {
  const says = { failing: 'failing', recovered: 'recovered' };
  const loop = new WorkLoop({ clock, log, messages: says, poll: { min_ms: HOUR_MS, max_ms: HOUR_MS }, iterate: round });
  t.teardown(loop.start());
  return loop;
}

/** Carries out what is stored for a time. */
function timers(t: Test, clock: SkippingClock, times: number[], recurs = false): number[] {
  const done: number[] = [];
  looping(t, clock, async () => {
    const due = times.filter((at) => at <= clock.now()).sort((a, b) => a - b);
    for (const at of due) done.push(times.splice(times.indexOf(at), 1)[0]!);
    const next = times.length === 0 ? undefined : { at: Math.min(...times), recurs };
    return { processed: due.length, next };
  });
  return done;
}

/** Until it is no longer busy. */
async function skipped(clock: SkippingClock, ask: Parameters<SkippingClock['skipTime']>[0] = all) {
  for (;;) {
    const skip = await clock.skipTime(ask);
    if (skip.state !== 'busy') return skip;
  }
}

t.test('the clock goes from one due time to the next, and only now() does', async (t) => {
  const clock = new SkippingClock();
  const begun = { now: clock.now(), monotonic: clock.monotonic() };
  const done = timers(t, clock, [begun.now + 48 * HOUR_MS, begun.now + 24 * HOUR_MS]);
  for (const day of [1, 2]) {
    const skip = await skipped(clock);
    t.match(skip, { state: 'skipped', to: iso(begun.now + day * 24 * HOUR_MS) });
    t.ok(clock.now() >= begun.now + day * 24 * HOUR_MS);
  }
  t.same(await skipped(clock), { state: 'waits' }, 'nothing is due any more');
  t.same(done, [begun.now + 24 * HOUR_MS, begun.now + 48 * HOUR_MS]);
  t.ok(clock.monotonic() - begun.monotonic < HOUR_MS);
});

t.test('work that goes from loop to loop is done before any time is skipped', async (t) => {
  const clock = new SkippingClock();
  const [first, second, ended]: [number[], number[], number[]] = [[1, 2, 3], [], []];
  const move = async (from: number[], to: number[]) => {
    const one = from.shift();
    await new Promise<void>((resolve) => void clock.after(5, resolve));
    if (one !== undefined) to.push(one);
    return { processed: one === undefined ? 0 : 1 };
  };
  // The later stage looks first, so that it has looked when the earlier one hands over.
  looping(t, clock, () => move(second, ended));
  looping(t, clock, () => move(first, second));
  timers(t, clock, [clock.now() + HOUR_MS]);
  t.match(await skipped(clock), { state: 'skipped' });
  t.same(ended, [1, 2, 3]);
});

t.test('what is under way holds the clock, but for pauses that rest', async (t) => {
  const clock = new SkippingClock();
  let working = 1;
  const moved: number[] = [];
  clock.skips.hold({
    isInFlight: async (resting) => working > resting,
    async jump(by_ms, resting, jump) {
      if (working > resting) return false;
      moved.push(by_ms);
      jump();
      return true;
    },
  });
  t.same(await clock.skipTime(all), { state: 'busy' });
  const over: string[] = [];
  working = 3;
  rest(clock, 2 * HOUR_MS, () => over.push('two'));
  rest(clock, HOUR_MS, () => over.push('one'));
  const cancel = rest(clock, HOUR_MS / 2, () => over.push('none'));
  t.match(await clock.skipTime(async () => void cancel()), { state: 'busy' });
  t.same(await clock.skipTime(all), { state: 'busy' }, 'one of them works again');
  working = 2;
  t.match(await clock.skipTime(all), { state: 'skipped', description: 'a pause between attempts' });
  t.same(over, ['one']);
  t.equal(moved.length, 1);
  t.same(await clock.skipTime(all), { state: 'busy' }, 'the one whose pause is over works');
  working = 1;
  t.match(await clock.skipTime(all), { state: 'skipped' });
  t.same(over, ['one', 'two']);
  working = 0;
  rest(clock, 1, () => over.push('real'));
  await new Promise<void>((resolve) => void clock.after(20, resolve));
  t.same(over, ['one', 'two', 'real'], 'a short pause ends by itself');
});

t.test('what begins while somebody is asked is waited for', async (t) => {
  const clock = new SkippingClock();
  const times = [clock.now() + HOUR_MS];
  const done = timers(t, clock, times);
  const before = clock.now();
  const brings = async () => {
    times.push(before);
    return await all();
  };
  t.same(await clock.skipTime(brings), { state: 'busy' });
  t.same(done, [before], 'it was carried out, and the time is as it was');
  t.ok(clock.now() < times[0]!);
});

t.test('times that recur can be passed over', async (t) => {
  const clock = new SkippingClock();
  const now = clock.now();
  timers(t, clock, [now + HOUR_MS], true);
  t.same(await skipped(clock, async () => ({ recurring: false })), { state: 'waits' });
  timers(t, clock, [now + 3 * HOUR_MS]);
  t.match(await skipped(clock, async () => ({ recurring: false })), { state: 'skipped', to: iso(now + 3 * HOUR_MS) });
});
