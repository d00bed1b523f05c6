import t from 'tap';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { awaitedAsks } from './awaited-asks.ts';
import type { AnyStep } from './steps.ts';

const run = (kind: string, name: string, status = 'waiting') =>
  ({ status, substate: { kind, name, since: '2026-01-01T00:00:00Z' } }) as RunRecord;

t.test('the run itself says what it waits to be asked', async (t) => {
  t.same(awaitedAsks(run('ask', 'the price'), []), ['the price']);
  t.same(awaitedAsks(run('any', 'signal:go ask:the price event:a.b ask:stock'), []), ['the price', 'stock']);
  t.same(awaitedAsks(run('signal', 'ask:price'), []), []);
  t.same(awaitedAsks(run('ask', 'price', 'cancelled'), []), []);
});

t.test('so do its nodes and its calls, and each name is there once', async (t) => {
  const steps = [
    { node: 'a', state: 'running', substate: { kind: 'ask', name: 'price' } },
    { position: 1, kind: 'wait-ask', name: 'stock', status: 'waiting' },
    { position: 0, kind: 'wait-ask', name: 'over', status: 'recorded' },
    { position: 2, kind: 'step', name: 'ask:x', status: 'running' },
  ] as unknown as AnyStep[];
  t.same(awaitedAsks(run('ask', 'price'), steps), ['price', 'stock']);
});
