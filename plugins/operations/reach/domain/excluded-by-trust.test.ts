import t from 'tap';
import { isExcludedByTrust } from './excluded-by-trust.ts';

t.test('a predicate surely declines an event because of its trust', async (t) => {
  for (const when of [
    'event.trusted',
    ' event.trusted ',
    'event.trusted && event.payload.n > 1',
    'event.payload.n > 1 && event.trusted',
    '(event.payload.n > 1) && event.trusted && f(event.type)',
    'event.payload.n > 1\n&& event.trusted',
  ]) {
    t.equal(isExcludedByTrust(when, false), true, when);
    t.equal(isExcludedByTrust(when, true), false, `${when}, for a trusted event`);
  }
  t.equal(isExcludedByTrust('!event.trusted && event.payload.n > 1', true), true);
  t.equal(isExcludedByTrust('!event.trusted && event.payload.n > 1', false), false);
});

t.test('every other predicate may accept the event', async (t) => {
  for (const when of [
    undefined,
    '',
    'true',
    'event.payload.n > 1',
    'event.trusted || true',
    '(event.trusted || true) && event.payload.n > 1',
    'event.trusted ? false : true',
    '!(event.trusted && event.payload.n > 1)',
    '!(event.payload.n > 1 && event.trusted)',
    'f(a && event.trusted && b)',
    'event.trusted == false',
    'event.trusted != true',
    'event.payload.trusted',
    '[true && event.trusted && false].size() > 0',
    '{1: true && event.trusted && false}.size() > 0',
    'event.type == " && event.trusted && "',
    "event.type == ' && event.trusted && '",
    'event.payload.n > 1 // && event.trusted',
    'true // (\n // && event.trusted && \n // )',
  ])
    t.equal(isExcludedByTrust(when, false), false, String(when));
});
