import t from 'tap';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { detailOf } from './detail.ts';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');
const of = (run: Partial<RunRecord>) =>
  detailOf({ annotations: [], workflow: 'a.sh', status: 'waiting', ...run } as RunRecord, NOW);
const waits = (kind: string, name: string, deadline?: string) =>
  of({ substate: { kind, name, since: '', ...(deadline && { deadline }) } as RunRecord['substate'] & object });

t.test('why a run ended', async (t) => {
  t.same(of({ status: 'failed', error: { code: 'x', message: 'node pay: no answer' } }), {
    lead: 'node pay: no answer',
    text: 'node pay',
    state: 'failed',
  });
  t.same(of({ status: 'cancelled', reason: 'Rejected by Ana\nmore' }), { text: 'Cancelled: Rejected by Ana' });
  t.same(of({ status: 'succeeded' }), { text: '' });
});

t.test('what a run waits for', async (t) => {
  t.same(waits('signal', 'approve'), { lead: 'Needs approval', text: 'Approve a.sh?', state: 'waiting' });
  t.same(waits('signal', 'go'), { lead: 'Needs a signal', text: 'go', state: 'waiting' });
  t.same(waits('awaiting_lease', 'production'), { text: 'Lock production' });
  t.same(waits('sleep', '', '2026-11-21T12:00:00.000Z'), { text: 'Sleeping, wakes in 2 h' });
  t.same(of({ status: 'queued', requires: ['gpu'] }), { text: 'Needs an agent with gpu' });
});
