import t from 'tap';
import type { Json } from '../../../engine/runs/contract.ts';
import {
  EMIT_BYTES,
  envelopeOf,
  isReserved,
  isReservedPrefix,
  validateEventKey,
  type NewEvent,
  type PendingEvent,
  subjectMatches,
  validateEventType,
} from '../contract.ts';
import { nestsTooDeep } from '../../../platform/schema/contract.ts';
import { validateAndSerialize } from './event-rules.ts';
import { expiryMessage } from './near-misses.ts';
import { isPlatform, PLATFORM_TYPES } from './platform-types.ts';
import { toSample } from './sample.ts';
import { idTimestamp } from './ulid-time.ts';

t.test('types, keys and subjects', async (t) => {
  for (const type of ['a', 'A.b_c-9', 'x'.repeat(64)]) t.equal(validateEventType(type), undefined, type);
  for (const type of ['', 'x'.repeat(65), 'a b', 'a\n', 'é', '*', 'a/b', 'a\u0000'])
    t.ok(validateEventType(type), type);
  for (const type of PLATFORM_TYPES) t.ok(isPlatform(type) && validateEventType(type) === undefined, type);
  for (const type of ['push', 'manual', 'schedule.tick', 'spawn', 'run.', 'run.x.y', 'svc.a'])
    t.ok(isReserved(type), type);
  for (const type of ['run', 'runs.x', 'svc', 'Push', 'forge.push', 'graph.a', 'schedule.tock'])
    t.notOk(isReserved(type), type);
  t.equal(validateEventKey('🎉'.repeat(255)), undefined);
  t.ok(validateEventKey('🎉'.repeat(256)));
  t.ok(subjectMatches(null, 'a') && subjectMatches('a', null) && subjectMatches('a', 'a') && !subjectMatches('a', 'A'));
});

t.test('an envelope has the fields at its top, and its own members win', async (t) => {
  const event = {
    type: 'push',
    event_id: 'evt_1',
    key: 'a/b',
    payload: { sha: 'x' },
    trusted: false,
    fields: { sha: 'x', type: 'no', trusted: true },
  };
  t.same(envelopeOf(event as unknown as PendingEvent), {
    sha: 'x',
    type: 'push',
    event: 'evt_1',
    key: 'a/b',
    trusted: false,
    payload: { sha: 'x' },
  });
  t.notOk('key' in envelopeOf({ ...event, key: null } as unknown as PendingEvent));
});

t.test('depth is looked at without going deep', async (t) => {
  let value: Json = null;
  for (let level = 0; level < 100; level++) value = level % 2 === 0 ? [value] : { a: value };
  t.notOk(nestsTooDeep(value));
  t.ok(nestsTooDeep([value]));
  for (let level = 0; level < 100_000; level++) value = [value];
  t.ok(nestsTooDeep(value));
});

t.test('what is kept of an event is written once, and its depth is looked at as text', async (t) => {
  const event = (payload: unknown, more: object = {}) =>
    ({ type: 'a', key: null, source: 'emit', payload, ...more }) as unknown as NewEvent;
  const kept = (payload: unknown, more?: object) =>
    JSON.parse(validateAndSerialize(event(payload, more)).toString()) as unknown;
  const nested = (levels: number, inside: unknown) => {
    let value = inside;
    for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { '{[': value };
    return value;
  };
  for (const payload of [null, 0, '', 'é"\\"[{', [], {}, { a: [1, { b: '}]' }] }, nested(100, '[[{{"')])
    t.same(kept(payload), { payload });
  t.same(kept(undefined), { payload: null });
  t.same(kept(1, { fields: { sha: 'x' } }), { payload: 1, fields: { sha: 'x' } });
  t.same(kept(nested(101, 1), { source: 'hook' }), { payload: nested(101, 1) });
  for (const [payload, more] of [
    [nested(101, 1), {}],
    [nested(100_000, 1), {}],
    [nested(102, 1), { source: 'hook' }],
  ] as const)
    t.throws(() => validateAndSerialize(event(payload, more)), {
      code: 'invalid_request',
      message: /nests deeper than 10[01] levels/,
    });
  const rest = JSON.stringify({ type: 'a', key: 'k', payload: '' }).length;
  t.ok(validateAndSerialize(event('x'.repeat(EMIT_BYTES - rest), { key: 'k' })));
  t.throws(() => validateAndSerialize(event('x'.repeat(EMIT_BYTES - rest + 1), { key: 'k' })), {
    code: 'payload_too_large',
    message: `the event is ${EMIT_BYTES + 1} bytes of JSON, 1 over the limit of ${EMIT_BYTES}`,
  });
});

t.test('nobody but the service emits its types, whatever the name of a hook', async (t) => {
  for (const name of ['run', 'svc', 'schedule']) t.ok(isReservedPrefix(name), name);
  for (const name of ['runs', 'push', 'manual', 'spawn', 'forge', 'Schedule', 'sch'])
    t.notOk(isReservedPrefix(name), name);
  for (const source of ['emit', 'hook'] as const)
    t.throws(() => validateAndSerialize({ type: 'schedule.tick', key: null, source, payload: null } as NewEvent), {
      code: 'event_type_reserved',
    });
});

t.test('a sample has the shape and not the weight', async (t) => {
  t.same(toSample({ a: [1, 2, 3], b: 'x', c: null, d: 1.5 }), { a: [1, 2, 3], b: 'x', c: null, d: 1.5 });
  t.same(toSample([1, 2, 3, 4]), [1, 2, 3, '…']);
  t.equal(toSample('x'.repeat(300)), `${'x'.repeat(200)}…`);
  t.ok((toSample(`${'x'.repeat(199)}🎉🎉`) as string).isWellFormed());
  t.same(toSample({ a: { b: { c: { d: { e: { f: { g: 1 } } } } } } }), { a: { b: { c: { d: { e: { f: '…' } } } } } });
  const wide = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`k${n}`, n]));
  t.equal(Object.keys(toSample(wide) as object).length, 33);
  const odd = toSample(JSON.parse('{"__proto__": {"x": 1}}') as Json);
  t.equal(JSON.stringify(odd), '{"__proto__":{"x":1}}');
});

t.test('ids tell when they were made', async (t) => {
  t.equal(idTimestamp('run_01ARZ3NDEKTSV4RRFFQ69G5FAV'), 1469922850259);
  for (const id of ['run_x', '', 'run_ILOU000000TSV4RRFFQ69G5FAV']) t.equal(idTimestamp(id), 0, id);
});

t.test('the end of a wait names what came close', async (t) => {
  t.equal(expiryMessage('go', []), 'no event go arrived before the timeout');
  t.equal(
    expiryMessage('go', [{ event_id: 'evt_1', at: 0, why: 'it was recorded before the wait began' }]),
    'no event go arrived before the timeout; these did not end the wait:\n' +
      '  evt_1 at 1970-01-01T00:00:00.000Z: it was recorded before the wait began',
  );
});
