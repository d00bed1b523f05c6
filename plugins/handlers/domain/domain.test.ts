import t from 'tap';
import { patternFault, patternFaults } from '../contract/patterns.ts';
import { fitting, PatternIndex } from './patterns.ts';
import { handlerRunId } from './run-id.ts';
import { startEventOf, startOf } from './start.ts';

t.test('patterns', async (t) => {
  for (const pattern of ['push', 'run.*', '*', 'a', 'build-*', 'A_b.c-9', 'x'.repeat(64), `${'x'.repeat(63)}*`])
    t.equal(patternFault(pattern), undefined, pattern);
  for (const pattern of [
    '',
    ' push',
    'push ',
    'ru*n',
    '**',
    '*.failed',
    'a,b',
    'ü',
    'x'.repeat(65),
    `${'x'.repeat(64)}*`,
    'a\0',
  ])
    t.type(patternFault(pattern), 'string', JSON.stringify(pattern));
  t.match(patternFault('a,b'), /several patterns/);
  t.match(patternFault('*.failed'), /only one \*, at its end/);
  t.match(patternFaults(['push', 'a b', 'c d']), [{ pointer: '/on/1' }, { pointer: '/on/2' }]);
  t.match(patternFaults([]), [{ pointer: '/on' }]);
  t.match(patternFaults(Array.from({ length: 33 }, (_, n) => `t${n}`)), [{ pointer: '/on', message: /at most 32/ }]);
});

t.test('what a type fits', async (t) => {
  t.equal(fitting(['push', 'run.*'], 'run.failed'), 'run.*');
  t.equal(fitting(['push', 'run.*'], 'run'), undefined);
  t.equal(fitting(['run.*'], 'runner.x'), undefined);
  const index = new PatternIndex<string>();
  index.add(['push', 'run.*'], 'a');
  index.add(['run.failed', 'run.*', '*'], 'b');
  index.add(['run.succeeded'], 'c');
  t.same(index.fitting('run.failed'), ['a', 'b']);
  t.same(index.fitting('push'), ['a', 'b']);
  t.same(index.fitting('other'), ['b']);
  t.same(index.fitting('run.succeeded'), ['a', 'b', 'c']);
  t.same(new PatternIndex<string>().fitting('push'), []);
});

t.test('the id of a handler run follows from event and name alone', async (t) => {
  const id = handlerRunId('evt_01M7ZAF3W5ME597DPTC7Y1GKFC', 'report');
  t.match(id, /^run_01M7ZAF3W5[0-9A-HJKMNP-TV-Z]{16}$/);
  t.equal(handlerRunId('evt_01M7ZAF3W5ME597DPTC7Y1GKFC', 'report'), id);
  t.not(handlerRunId('evt_01M7ZAF3W5ME597DPTC7Y1GKFC', 'report2'), id);
  t.not(handlerRunId('evt_01M7ZAF3W5ME597DPTC7Y1GKFD', 'report'), id);
  const many = new Set(
    Array.from({ length: 10_000 }, (_, n) => handlerRunId('evt_01M7ZAF3W5ME597DPTC7Y1GKFC', `h${n}`)),
  );
  t.equal(many.size, 10_000);
});

t.test('a handler run carries single values of its event, and refers to the rest', async (t) => {
  const event = startEventOf({
    event_id: 'evt_01M7ZAF3W5ME597DPTC7Y1GKFC',
    org_id: 'o',
    project_id: 'p',
    type: 'push',
    key: 'acme/web',
    payload: { large: true },
    fields: { sha: 'abc', paths: ['a'], paths_known: true, sender: { login: 'x' }, type: 'evil', handler: 'evil' },
    source: 'forge',
    source_name: 'hook',
    generation: 2,
    trusted: false,
    refusable: false,
  });
  const run = startOf('ci', event);
  t.match(run, {
    run_id: handlerRunId(event.event_id, 'ci'),
    trigger: { sha: 'abc', paths_known: true, type: 'push', event: event.event_id, handler: 'ci' },
    envelope: { type: 'push', $ref: `bus:${event.event_id}` },
    subject: 'acme/web',
    generation: 3,
    trusted: false,
  });
  t.same(Object.keys(run.trigger).sort(), ['event', 'handler', 'paths_known', 'sha', 'type']);
});
