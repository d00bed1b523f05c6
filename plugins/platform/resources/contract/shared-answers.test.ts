import t from 'tap';
import { VirtualClock } from '../../../../test/kit/index.ts';
import { SharedAnswers } from './shared-answers.ts';

t.test('one is made at a time, is shared for a while, and a failure is not kept', async (t) => {
  const clock = new VirtualClock();
  const shared = new SharedAnswers<number>(clock, 1000);
  let made = 0;
  const { promise: go, resolve } = Promise.withResolvers<void>();
  const make = async () => {
    const n = (made += 1);
    await go;
    if (n === 3) throw new Error('it is away');
    return n;
  };
  const first = [shared.get('a', make), shared.get('a', make), shared.get('b', make)];
  await clock.advance(5000);
  const slow = shared.get('a', make);
  resolve();
  t.same(await Promise.all([...first, slow]), [1, 1, 2, 1], 'also while it takes long');
  t.equal(await shared.get('a', make), 1);
  await clock.advance(1001);
  await t.rejects(shared.get('a', make), { message: 'it is away' });
  t.equal(await shared.get('a', make), 4);
});
