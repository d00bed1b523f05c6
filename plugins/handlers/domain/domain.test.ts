import t from 'tap';
import { patternFault, patternFaults } from '../contract/patterns.ts';
import { fitting, PatternIndex } from './patterns.ts';
import { afterStart, hasPlace, roomBeside, startingNow, waitingReason, withRuns } from './room.ts';
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

t.test('places of untrusted runs are some of all places', async (t) => {
  const room = (all: number, untrusted: number, parked = 0) =>
    Object.values(roomBeside({ all, untrusted, parked }, 10));
  t.same(room(0, 0), [16, 4]);
  t.same(room(3, 3), [13, 1]);
  t.same(room(14, 0), [2, 2], 'not more than there are at all');
  t.same(room(16, 0), [0, 0]);
  t.same(room(9, 7), [10, 0], 'untrusted ones that woke beyond their places take none of others');
  t.same(room(1, 1, 8), [15, 1], 'those that wait are open too');
  t.same(room(1, 1, 9), [15, 0, 10]);
  t.same(room(0, 0, 30), [16, 0, 10], 'others have their places');
  t.same(afterStart({ all: 2, untrusted: 2 }, true), { all: 1, untrusted: 1 });
  t.same(afterStart({ all: 5, untrusted: 2 }, false), { all: 4, untrusted: 1 });
  t.ok(hasPlace({ all: 1, untrusted: 0 }, true));
  t.notOk(hasPlace({ all: 1, untrusted: 0 }, false));
  t.same(withRuns({ all: 1, untrusted: 1, parked: 7 }, false, 2), { all: 3, untrusted: 3, parked: 7 });
  t.same(withRuns({ all: 1, untrusted: 1, parked: 7 }, true, 2), { all: 3, untrusted: 1, parked: 7 });
  t.same(
    [0, 3, 4, 5].map((untrusted) => startingNow({ all: 5, untrusted, parked: 0 }, 10, false, 3)),
    [3, 1, 0, 0],
  );
  t.equal(startingNow({ all: 5, untrusted: 4, parked: 0 }, 10, true, 3), 3);
  t.equal(startingNow({ all: 5, untrusted: 1, parked: 8 }, 10, false, 3), 1);
  t.equal(waitingReason({ all: 0, untrusted: 0 }), '16 handler runs are in flight');
  t.equal(waitingReason({ all: 3, untrusted: 0 }), '4 untrusted handler runs are in flight');
  t.match(
    waitingReason({ all: 3, untrusted: 0, crowded: 10 }),
    /^10 untrusted handler runs are not over, those that wait/,
  );
});
