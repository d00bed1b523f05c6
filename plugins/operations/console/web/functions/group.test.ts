import t from 'tap';
import type { FunctionView } from '../../../../../cli/generated/api.ts';
import { groupFunctions, servedState, waitingWords } from './group.ts';

const view = (name: string, version: string, more: Partial<FunctionView> = {}): FunctionView => ({
  name,
  version,
  versions: 'replay',
  current: false,
  workers: [],
  waiting: 0,
  registered_at: '',
  ...more,
});

t.test('versions of one name are one function', async (t) => {
  const [order, ship] = groupFunctions([
    view('order', 'a', { workers: ['w1'], waiting: 2 }),
    view('order', 'b', { workers: ['w1', 'w2'], current: true }),
    view('ship', '1'),
  ]);
  t.match(order, { name: 'order', current: { version: 'b' }, workers: ['w1', 'w2'], waiting: 2 });
  t.equal(servedState(order!), 'waiting', 'though others of its versions are served');
  t.equal(servedState({ ...order!, waiting: 0 }), 'served');
  t.equal(servedState(ship!), 'unserved');
  t.same([1, 7, 1000].map(waitingWords), ['1 run waits', '7 runs wait', '1000 or more runs wait']);
});
