import t from 'tap';
import { parseOrigin } from '../contract.ts';
import { originOf } from './origin.ts';

t.test('what started a run, as far as it is a word', async (t) => {
  t.same(originOf({ type: 'manual' }), { type: 'manual', name: null, event: null });
  t.same(originOf({ type: 'push', event: 'evt_1', handler: 'report', schedule: 'x' }), {
    ...{ type: 'push', name: 'handler:report', event: 'evt_1' },
  });
  t.same(originOf({ type: 'schedule.tick', event: 'evt_1', schedule: 'nightly' }).name, 'schedule:nightly');
  t.same(originOf({ type: 'ä', event: 7, handler: 'a b', schedule: 'x'.repeat(65) }), {
    ...{ type: null, name: null, event: null },
  });
});

t.test('a filter is a type, a starter, an event or a parent', async (t) => {
  t.same(parseOrigin('deploy.done'), { type: 'deploy.done' });
  t.same(parseOrigin('handler:report'), { name: 'handler:report' });
  t.same(parseOrigin('schedule:nightly'), { name: 'schedule:nightly' });
  t.same(parseOrigin('event:evt_1'), { event: 'evt_1' });
  t.same(parseOrigin('run:run_1'), { parent: 'run_1' });
  for (const wrong of ['', ':', 'handler:', 'hook:x', 'é', 'a b', 'handler:a:b', 'x'.repeat(65), 'push\u0000'])
    t.match(parseOrigin(wrong), { problem: /must be the type/ }, JSON.stringify(wrong));
});
