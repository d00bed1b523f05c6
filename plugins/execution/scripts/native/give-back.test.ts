import t from 'tap';
import type { Clock } from '../../../../kernel/contracts/index.ts';
import { releaseMemoryPeriodically } from './give-back.ts';

/** A clock whose next timer a test lets come. */
function steppedClock() {
  let next: (() => void) | undefined;
  const after: Clock['after'] = (_delay_ms, run) => {
    next = run;
    return () => {
      if (next === run) next = undefined;
    };
  };
  const step = () => {
    const run = next;
    next = undefined;
    run?.();
    return run !== undefined;
  };
  return { after, step };
}

t.test('memory is given back again and again until the process stops', async (t) => {
  const clock = steppedClock();
  let given = 0;
  const stop = releaseMemoryPeriodically(clock, { releaseMemory: () => void (given += 1) });
  t.equal(given, 0, 'not while the start is under way');
  for (let n = 0; n < 3; n++) clock.step();
  t.equal(given, 3);
  stop();
  t.notOk(clock.step(), 'nothing is left to come');
});

t.test('without the addon there is no timer', async (t) => {
  const clock = steppedClock();
  releaseMemoryPeriodically(clock, {})();
  t.notOk(clock.step());
});
