import t from 'tap';
import { collectStartupGarbage } from './start-garbage.ts';

t.test('what a start took is given back once, at the first look that finds the process calm', async (t) => {
  let collected = 0;
  const timers: { delay_ms: number; run: () => void; unref: boolean | undefined }[] = [];
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    after: (delay_ms: number, run: () => void, options?: { unref?: boolean }) => {
      timers.push({ delay_ms, run, unref: options?.unref });
      return () => undefined;
    },
  };
  // Active milliseconds so far, of ten thousand between two looks.
  let [active, idle] = [900, 100];
  const measure = (one?: { active: number; idle: number }, other?: { active: number; idle: number }) => {
    const [a, b] = [one ?? { active, idle }, other ?? { active: 0, idle: 0 }];
    const span = { active: a.active - b.active, idle: a.idle - b.idle };
    return { ...span, utilization: span.active / (span.active + span.idle) };
  };
  collectStartupGarbage(clock, measure, () => void (collected += 1));
  t.match(timers, [{ delay_ms: 10_000, unref: true }], 'it does not keep the process alive');
  [active, idle] = [active + 2000, idle + 8000];
  timers.at(-1)!.run();
  t.equal(collected, 0, 'not while it works');
  t.equal(timers.length, 2);
  [active, idle] = [active + 100, idle + 9900];
  timers.at(-1)!.run();
  t.equal(collected, 1);
  t.equal(timers.length, 2, 'and no further look');
});
