import { execFileSync } from 'node:child_process';
import t from 'tap';
import { dataOf, pathOf, stepsOf, walk } from './paths.mjs';
import { needs } from '../../../../test/kit/needs.ts';

const WHOLE = {
  a: { b: [1, { 'c d': 'x', 'e.f': null }] },
  'user-id': 7,
  ü: true,
  __proto__x: 1,
  constructor: 'own',
};
/** Paths, and what is there: undefined for nothing, a fault for what is not a path. */
const FAULT = 'no path';
const PLACES: readonly (readonly [path: string, value: unknown])[] = [
  ['.', WHOLE],
  ['a.b[0]', 1],
  ['.a.b[0]', 1],
  ['a["b"][1]["c d"]', 'x'],
  ['a.b[-1]["c d"]', 'x'],
  ['["a"].b[0]', 1],
  ['a.["b"]', WHOLE.a.b],
  ['user-id', 7],
  ['ü', true],
  ['a["\\u0062"][0]', 1],
  ['a.b[2]', undefined],
  ['a.b[-3]', undefined],
  ['a.b.c', undefined],
  ['a[0]', undefined],
  ['user-id.x', undefined],
  ['toString', undefined],
  ['a.__proto__', undefined],
  ['constructor', 'own'],
  ['', FAULT],
  ['..', FAULT],
  ['a.', FAULT],
  ['a..b', FAULT],
  ['a b', FAULT],
  ['a[b]', FAULT],
  ['a[0', FAULT],
  ['a["x]', FAULT],
  ['a["\\x"]', FAULT],
  ['a[1]b', FAULT],
];

const PYTHON = `
import json, sys
from svc_sdk._paths import steps_of, value_at
whole, paths = json.load(sys.stdin)
print(json.dumps(["no path" if steps_of(p) is None else value_at(whole, steps_of(p)) for p in paths]))
`;

t.test('a path names a place, in both languages alike', needs('python3'), async (t) => {
  const paths = PLACES.map(([path]) => path);
  const found = paths.map((path) => {
    const steps = stepsOf(path);
    return steps ? walk(WHOLE, steps).value : FAULT;
  });
  t.same(
    found,
    PLACES.map(([, value]) => value),
  );
  const written = execFileSync('python3', ['-c', PYTHON], {
    input: JSON.stringify([WHOLE, paths]),
    env: { ...process.env, PYTHONPATH: import.meta.dirname },
  });
  t.same(
    JSON.parse(written.toString()),
    PLACES.map(([, value]) => value ?? null),
  );
});

t.test('a path is written so that it can be read', async (t) => {
  for (const path of ['a.b[0]', 'a["b c"][-1]', '[0].x', '["a.b"].c']) t.equal(pathOf(stepsOf(path)!), path);
});

t.test('the payload of an event comes before an input, but for a tick', async (t) => {
  t.equal(dataOf({ type: 'manual', input: 1 }), 1);
  t.equal(dataOf({ type: 'order.paid', payload: null, input: 1 }), null);
  t.equal(dataOf({ type: 'schedule.tick', payload: { due: 1 }, input: 1 }), 1);
  t.same(dataOf({ type: 'schedule.tick', payload: { due: 1 } }), { due: 1 });
  t.equal(dataOf({ type: 'spawn' }), undefined);
});

t.test('what a job is given comes before all of it, in both languages', needs('python3'), async (t) => {
  const envelopes = [
    { type: 'push', payload: { a: 1 }, input: 1, with: { a: 2 } },
    { type: 'schedule.tick', payload: {}, input: 1, with: null },
    { type: 'manual', input: 1 },
  ];
  const wanted = [{ a: 2 }, null, 1];
  t.same(envelopes.map(dataOf), wanted);
  const program =
    'import json, sys; from svc_sdk._paths import data_of; print(json.dumps([data_of(e) for e in json.load(sys.stdin)]))';
  const written = execFileSync('python3', ['-c', program], {
    input: JSON.stringify(envelopes),
    env: { ...process.env, PYTHONPATH: import.meta.dirname },
  });
  t.same(JSON.parse(written.toString()), wanted);
});
