import type { Test } from 'tap';
import type { Script } from '../../executor/testing/host.ts';
import { Activity, until } from '../../../../../test/kit/index.ts';
import { HeldClock } from './held-clock.ts';
import { openWarmBench } from './warm-bench.ts';
import { gone, waiting } from './waiting.ts';

/** As `prepared-process.ts` has it. */
export const HAND_OVER_MS = 5000;

/** An interpreter that does not take its script goes with a pass that is stopped meanwhile; nothing has run. */
export async function killedWhileItBegins(t: Test, script: Script): Promise<void> {
  const bench = await openWarmBench(t);
  await bench.prime(script);
  const [pid] = waiting(bench);
  process.kill(pid!, 'SIGSTOP');
  const activity = new Activity();
  const pass = bench.begin(activity, script);
  pass.stop('draining');
  t.same(await pass.result, { end: 'released' });
  t.ok(gone(pid!));
  t.equal(activity.text(), '');
}

/** Shows that a prepared process that hangs is given up after a while, and that the script runs once all the same. */
export async function givenUpWhenItHangs(t: Test, script: Script): Promise<void> {
  const clock = new HeldClock();
  const bench = await openWarmBench(t, { clock });
  await bench.prime(script);
  const [pid] = waiting(bench);
  process.kill(pid!, 'SIGSTOP');
  const running = bench.run(script);
  await until(() => clock.holds(HAND_OVER_MS), { what: 'it was handed over' });
  clock.advance(HAND_OVER_MS);
  const { out } = await running;
  t.match(out, /^\d+\n$/);
  t.not(Number(out), pid);
  t.ok(gone(pid!));
  t.same(bench.log.messages('info'), [
    'a prepared interpreter did not accept its script; starting the script without it',
  ]);
}
