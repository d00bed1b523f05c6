import t from 'tap';
import { parseOutputs } from '../executor/step-outputs.ts';
import { readCondition, fillTemplates, fillText, splitTemplate } from './templates.ts';
import { combinationsOf, combinationsOfComputed, listCombinations } from '../explain/matrix.ts';
import { findChild, findFileClashes } from './child.ts';
import { findReads } from './names.ts';

t.test('a text is split at its holes, whatever their expressions contain', async (t) => {
  t.same(splitTemplate('a ${{ x }} b'), ['a ', { expression: ' x ', nth: 0 }, ' b']);
  t.same(splitTemplate(`\${{ {'a': {'b': 1}} }}`), [{ expression: ` {'a': {'b': 1}} `, nth: 0 }]);
  t.same(splitTemplate(`\${{ '}}' + "\\"}}" }}!`), [{ expression: ` '}}' + "\\"}}" `, nth: 0 }, '!']);
  t.same(splitTemplate('${{ a }}${{ b'), { unclosed: 1 });
  t.same(splitTemplate('no hole }}'), ['no hole }}']);
});

t.test('one hole keeps its type, a hole in a text becomes text', async (t) => {
  const evaluate = (text: string): unknown => ({ n: 7, s: 'x', l: [1, 'a'], z: null })[text.trim()];
  t.equal(fillText('${{ n }}', evaluate), 7);
  t.equal(fillText('${{ s }}-${{ n }}-${{ l }}-${{ z }}', evaluate), 'x-7-[1,"a"]-null');
  t.same(fillTemplates({ a: ['${{ l }}', 1], b: { c: 'v${{ s }}' } }, evaluate), { a: [[1, 'a'], 1], b: { c: 'vx' } });
});

t.test('a condition is stripped of the hole around the whole', async (t) => {
  t.same(readCondition('${{ a == b }}'), { expression: ' a == b ', nth: 0 });
  t.same(readCondition(' a == b'), { expression: ' a == b', nth: undefined });
  t.same(readCondition('${{ a }} == b').nth, undefined);
});

t.test('the members that an expression reads of a root', async (t) => {
  const names = (text: string) => [...(findReads(text, 'jobs')?.names ?? [])];
  t.same(names('jobs.a.outputs.x + jobs["b-c"].outputs.y'), ['b-c', 'a']);
  t.same(findReads('has(jobs.a.outputs)', 'jobs'), { names: new Set(['a']), all: false });
  t.equal(findReads('jobs', 'jobs')?.all, true);
  t.equal(findReads('jobs[env.X]', 'jobs')?.all, true);
  t.equal(findReads('"jobs.a" + x.jobs.b', 'jobs'), undefined);
});

t.test('combinations of a matrix', async (t) => {
  const of = (matrix: object) => combinationsOf({ matrix } as Parameters<typeof combinationsOf>[0]);
  t.same(of({ a: [1, 2], b: ['x'] }), [
    { a: 1, b: 'x' },
    { a: 2, b: 'x' },
  ]);
  t.same(of({ a: [1, 2], exclude: [{ a: 1 }] }), [{ a: 2 }]);
  t.same(of({ a: [1, 2], include: [{ a: 1, more: true }, { all: 'x' }, { a: 9 }] }), [
    { a: 1, more: true, all: 'x' },
    { a: 2, all: 'x' },
    { a: 9 },
  ]);
  t.same(of({ include: [{ a: 1 }, { a: 2 }] }), [{ a: 1 }, { a: 2 }]);
  t.same(of({ a: [{ b: 1 }], exclude: [{ a: { b: 1 } }] }), [], 'equal values');
  t.same(of({ a: [1], include: [{ toString: 'x' }] }), [{ a: 1, toString: 'x' }], 'members that objects inherit');
  const many = Array.from({ length: 1000 }, (_, n) => n);
  t.same(of({ a: many, b: many, c: many, d: many, none: [] }), [], 'nothing is built for an axis without values');
});

t.test('a matrix is small', async (t) => {
  const many = Array.from({ length: 1000 }, (_, n) => n);
  const objects = (count: number, members: number) =>
    Array.from({ length: count }, (_, n) => Object.fromEntries(many.slice(0, members).map((m) => [`m${m}`, n])));
  for (const [what, matrix, message] of [
    ['repeated values', { a: ['x'.repeat(2000)], b: many }, /more than 1048576 characters/],
    ['members of include', { b: many.slice(0, 500), include: [{ a: 'x'.repeat(3000) }] }, /more than 1048576/],
    ['axes', Object.fromEntries(many.slice(0, 101).map((n) => [`a${n}`, [n]])), /has 101 axes/],
    ['excluded', { a: many, exclude: objects(1001, 1) }, /has 1001 entries/],
    ['comparisons', { a: many, exclude: objects(1000, 6) }, /too much work/],
  ] as const) {
    const listed = listCombinations(matrix as unknown as Parameters<typeof listCombinations>[0]);
    t.match(listed, { message }, what);
    t.match(combinationsOfComputed(matrix), { message }, `${what}, computed`);
  }
  t.equal((combinationsOfComputed({ a: many, exclude: objects(1000, 1) }) as unknown[]).length, 1000);
});

t.test('lines of $SVC_OUTPUT', async (t) => {
  t.same(parseOutputs('a=1\nb=x=y\n\nc=\n'), { a: '1', b: 'x=y', c: '' });
  t.same(parseOutputs('t<<E\n1\n\n2\nE\na=1'), { t: '1\n\n2', a: '1' });
  for (const [text, message] of [
    ['nothing', /line 1 .*key=value/],
    ['a=1\nb c=2', /line 2/],
    ['t<<END\nx', /not terminated/],
  ] as const)
    t.throws(() => parseOutputs(text), { code: 'step_invalid', message });
});

t.test('a job finds its file by any spelling of the path', async (t) => {
  const found = (files: Record<string, string>, workflow: string) => {
    const child = findChild({ files, jobs: {} } as never, 'ship', { workflow });
    return child && 'source' in child ? child.source : undefined;
  };
  t.equal(found({ 'ship.sh': 'a' }, './ship.sh'), 'a');
  t.equal(found({ './ship.sh': 'a' }, 'ship.sh'), 'a');
  t.equal(found({ 'ops//ship.sh': 'a' }, './ops/x/../ship.sh'), 'a');
  t.equal(found({ '../ship.sh': 'a' }, './../ship.sh'), 'a');
  t.equal(found({ './ship.sh': 'a', 'ship.sh': 'b' }, 'ship.sh'), 'b', 'its own spelling first');
  t.equal(found({ 'ship.sh': 'a' }, 'ops/ship.sh'), undefined);
  t.equal(found({ 'ship.sh': 'a' }, 'constructor'), undefined);
  t.equal(found({ 'ship.sh': 'a' }, '/ship.sh'), undefined);
  t.same(findFileClashes({ './a.sh': '1', 'a.sh': '2', 'b.sh': '1', './b.sh': '1' }), [['./a.sh', 'a.sh']]);
});
