import t from 'tap';
import { validatePattern, validatePatterns } from '../contract/patterns.ts';
import { matchingPattern, PatternIndex } from './patterns.ts';
import { reserveSlot, hasSlot, remainingCapacity, countImmediateStarts, waitingReason, addRuns } from './capacity.ts';
import { handlerRunId } from './run-id.ts';
import { toStartEvent, toWorkflowStart } from './start.ts';

t.test('patterns', async (t) => {
  for (const pattern of ['push', 'run.*', '*', 'a', 'build-*', 'A_b.c-9', 'x'.repeat(64), `${'x'.repeat(63)}*`])
    t.equal(validatePattern(pattern), undefined, pattern);
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
    t.type(validatePattern(pattern), 'string', JSON.stringify(pattern));
  t.match(validatePattern('a,b'), /several patterns/);
  t.match(validatePattern('*.failed'), /only one \*, at its end/);
  t.match(validatePatterns(['push', 'a b', 'c d']), [{ pointer: '/on/1' }, { pointer: '/on/2' }]);
  t.match(validatePatterns([]), [{ pointer: '/on' }]);
  t.match(validatePatterns(Array.from({ length: 33 }, (_, n) => `t${n}`)), [{ pointer: '/on', message: /at most 32/ }]);
});

t.test('what a type fits', async (t) => {
  t.equal(matchingPattern(['push', 'run.*'], 'run.failed'), 'run.*');
  t.equal(matchingPattern(['push', 'run.*'], 'run'), undefined);
  t.equal(matchingPattern(['run.*'], 'runner.x'), undefined);
  const index = new PatternIndex<string>();
  index.add(['push', 'run.*'], 'a');
  index.add(['run.failed', 'run.*', '*'], 'b');
  index.add(['run.succeeded'], 'c');
  t.same(index.match('run.failed'), ['a', 'b']);
  t.same(index.match('push'), ['a', 'b']);
  t.same(index.match('other'), ['b']);
  t.same(index.match('run.succeeded'), ['a', 'b', 'c']);
  t.same(new PatternIndex<string>().match('push'), []);
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
  const event = toStartEvent({
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
  const run = toWorkflowStart('ci', event);
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

t.test('places of untrusted runs are some of all places', async (t) => {
  const room = (all: number, untrusted: number, parked = 0) =>
    Object.values(remainingCapacity({ all, untrusted, parked }, 10));
  t.same(room(0, 0), [16, 4]);
  t.same(room(3, 3), [13, 1]);
  t.same(room(14, 0), [2, 2], 'not more than there are at all');
  t.same(room(16, 0), [0, 0]);
  t.same(room(9, 7), [10, 0], 'untrusted ones that woke beyond their places take none of others');
  t.same(room(1, 1, 8), [15, 1], 'those that wait are open too');
  t.same(room(1, 1, 9), [15, 0, 10]);
  t.same(room(0, 0, 30), [16, 0, 10], 'others have their places');
  t.same(reserveSlot({ all: 2, untrusted: 2 }, true), { all: 1, untrusted: 1 });
  t.same(reserveSlot({ all: 5, untrusted: 2 }, false), { all: 4, untrusted: 1 });
  t.ok(hasSlot({ all: 1, untrusted: 0 }, true));
  t.notOk(hasSlot({ all: 1, untrusted: 0 }, false));
  t.same(addRuns({ all: 1, untrusted: 1, parked: 7 }, false, 2), { all: 3, untrusted: 3, parked: 7 });
  t.same(addRuns({ all: 1, untrusted: 1, parked: 7 }, true, 2), { all: 3, untrusted: 1, parked: 7 });
  t.same(
    [0, 3, 4, 5].map((untrusted) => countImmediateStarts({ all: 5, untrusted, parked: 0 }, 10, false, 3)),
    [3, 1, 0, 0],
  );
  t.equal(countImmediateStarts({ all: 5, untrusted: 4, parked: 0 }, 10, true, 3), 3);
  t.equal(countImmediateStarts({ all: 5, untrusted: 1, parked: 8 }, 10, false, 3), 1);
  t.equal(waitingReason({ all: 0, untrusted: 0 }), 'a project can have at most 16 handler runs in flight');
  t.equal(waitingReason({ all: 3, untrusted: 0 }), 'a project can have at most 4 untrusted handler runs in flight');
  t.match(
    waitingReason({ all: 3, untrusted: 0, untrusted_limit: 10 }),
    /^a project can have at most 10 untrusted handler runs open, including those that wait/,
  );
});
