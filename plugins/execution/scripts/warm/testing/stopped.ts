import type { Test } from 'tap';
import type { Script } from '../../executor/testing/host.ts';
import { Activity } from '../../../../../test/kit/index.ts';
import { openWarmBench } from './warm-bench.ts';
import { gone, waiting } from './waiting.ts';

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
