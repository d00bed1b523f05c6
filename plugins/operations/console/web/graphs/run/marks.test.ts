import t from 'tap';
import type { NodeRecord } from '../../../../../../cli/generated/api.ts';
import { markOf, marksOf } from './marks.ts';

const node = (more: Partial<NodeRecord>): NodeRecord => ({
  ...{ node: 'a', type: 'set', state: 'succeeded', attempt: 1 },
  ...more,
});

t.test('the state of a node in a few words', async (t) => {
  t.same(markOf(node({})), { tone: 'good', status: 'succeeded' });
  t.same(markOf(node({ state: 'waiting', attempt: 0 })), { tone: 'quiet', status: 'not started' });
  t.same(markOf(node({ case: false })), { tone: 'good', status: 'succeeded · → false' });
  const since = '2026-01-01T00:00:00.000Z';
  t.same(markOf(node({ state: 'running', substate: { kind: 'signal', name: 'go', since } })), {
    tone: 'waiting',
    status: 'waits: signal',
  });
  t.same(markOf(node({ state: 'running', attempt: 2, items: { total: 4, begun: 3, ended: 2, failed: 1 } })), {
    tone: 'busy',
    status: 'running · 2/4 · 1 failed · attempt 2',
  });
  t.same(markOf(node({ state: 'failed', error: { code: 'exit', message: 'first\nsecond' } })), {
    tone: 'bad',
    status: 'failed',
    note: 'exit: first',
  });
});

t.test('items have no mark of their own', async (t) => {
  t.same([...marksOf([node({}), node({ item: 0, state: 'failed' })]).keys()], ['a']);
});
