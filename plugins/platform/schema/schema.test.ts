import t from 'tap';
import type { JsonSchema } from '../../../kernel/contracts/index.ts';
import {
  compile,
  validateWithSuggestions,
  positionInside,
  positionOf,
  pointerTo,
  readJsonText,
  withDefinitions,
} from './contract.ts';

t.test('faults name their place by JSON pointer and never the value', async (t) => {
  const validate = compile({
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: {
      name: { type: 'string', maxLength: 3 },
      kind: { enum: ['a', 'b'] },
      when: { type: 'string', format: 'date-time' },
      list: { type: 'array', items: { type: ['integer', 'null'] } },
      map: { type: 'object', propertyNames: { pattern: '^[a-z]+$' }, additionalProperties: true },
      fixed: { const: 1 },
    },
  });
  t.same(validate({ name: 'ok', list: [1, null], map: { a: 1 }, fixed: 1 }), []);
  t.same(validate({}), [{ pointer: '/name', message: 'is required' }]);
  t.same(validate([]), [{ pointer: '', message: 'must be an object' }]);
  t.same(validate({ name: 'ok', 'a/b~c': 1 }), [{ pointer: '/a~1b~0c', message: 'is not a known member' }]);
  t.same(validate({ name: 'hunter2' }), [{ pointer: '/name', message: 'must have at most 3 characters' }]);
  t.same(validate({ name: 'ok', kind: 'hunter2' }), [{ pointer: '/kind', message: 'must be one of "a", "b"' }]);
  t.same(validate({ name: 'ok', list: [1, 'x'] }), [{ pointer: '/list/1', message: 'must be an integer or null' }]);
  t.same(validate({ name: 'ok', fixed: 2 }), [{ pointer: '/fixed', message: 'must be 1' }]);
  t.equal(validate({ name: 'ok', when: 'noon' })[0]?.pointer, '/when');
  t.ok(validate({ name: 'ok', map: { A: 1 } }).some(({ pointer }) => pointer === '/map/A'));
  t.equal(validate({ when: 'noon', kind: 'x' }).length, 3, 'all of them');
  t.equal(validate({ when: 'noon', kind: 'x' }, { all: false }).length, 1, 'or the first');
});

t.test('a value that can have several types has the faults of its own', async (t) => {
  const seconds = { type: 'integer', minimum: -600, maximum: 600 };
  const validate = compile({ anyOf: [seconds, { type: 'string', minLength: 1 }] });
  t.same(validate(60), []);
  t.same(validate(900), [{ pointer: '', message: 'must be at most 600' }]);
  t.same(validate(''), [{ pointer: '', message: 'must have at least 1 character' }]);
  t.same(validate(true), [{ pointer: '', message: 'must be an integer or a string' }]);
  const list = { type: 'array', items: { anyOf: [seconds, { type: 'array', items: { type: 'string' } }] } };
  t.same(compile(list)([1, 900, ['a', 2]]), [
    { pointer: '/1', message: 'must be at most 600' },
    { pointer: '/2/1', message: 'must be a string' },
  ]);
  const numbers = compile({ anyOf: [seconds, { type: 'integer', minimum: 1000 }] });
  t.equal(numbers(900).length, 3, 'nobody can tell which alternative is meant');
});

t.test('a member called __proto__ is a member like others', async (t) => {
  const validate = compile({ type: 'object', additionalProperties: false, properties: {} });
  t.same(validate(JSON.parse('{"__proto__": {"admin": true}}')), [
    { pointer: '/__proto__', message: 'is not a known member' },
  ]);
});

t.test('a wrong document costs no more than its verdict', async (t) => {
  const validate = compile({ type: 'array', items: { type: 'string' } });
  const faults = validate(
    Array.from({ length: 500_000 }, () => 1),
    { all: false },
  );
  t.equal(faults.length, 1);
  t.equal(validate(Array.from({ length: 10_000 }, () => 1)).length, 50, 'a list ends somewhere');
});

t.test('a schema is compiled once, and a wrong one throws', async (t) => {
  const schema = { type: 'string' };
  t.equal(compile(schema), compile(schema));
  t.throws(() => compile({ type: 'string', maxLenght: 3 }), /unknown keyword/);
  const wrong = [
    { type: 'strin' },
    { type: 'string', minLength: '3' },
    { type: 'string', pattern: '(' },
    { type: 'string', format: 'dat' },
    { type: 'number', minimum: true },
    { type: 'object', properties: [] },
    { type: 'object', required: 'a' },
    { type: 'object', additionalProperties: 'no' },
    { type: 'array', items: 5 },
    { enum: 'a' },
    { enum: [] },
    { anyOf: { type: 'string' } },
    { $ref: '#/$defs/none' },
  ];
  for (const one of wrong) t.throws(() => compile(one as JsonSchema), `${JSON.stringify(one)}`);
});

t.test('pointers', async (t) => t.equal(pointerTo(pointerTo('', 'a/b'), 0), '/a~1b/0'));

t.test('references to files of other schemas are resolved from those that are given', (t) => {
  const part = { title: 'Part', type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
  const whole = {
    type: 'object',
    allOf: [{ $ref: '../../one/schema/part.schema.json' }],
    unevaluatedProperties: false,
    properties: { at: { type: 'string' } },
  };
  const check = compile(withDefinitions(whole, { part }));
  t.same(check({ name: 'a', at: 'b' }), []);
  t.same(check({ at: 'b' }), [{ pointer: '/name', message: 'is required' }]);
  t.same(check({ name: 'a', other: 1 }), [{ pointer: '/other', message: 'is not a known member' }]);
  t.end();
});

t.test('a misspelt member is told what was meant, through references and conditions', (t) => {
  const check = validateWithSuggestions({
    type: 'object',
    allOf: [{ $ref: '#/$defs/base' }],
    unevaluatedProperties: false,
    properties: { steps: { type: 'array', items: { $ref: '#/$defs/step' } } },
    $defs: {
      base: { type: 'object', properties: { timeout: { type: 'string' } } },
      step: {
        type: 'object',
        additionalProperties: false,
        properties: { run: {}, retry: {}, inner: { $ref: '#/$defs/step' } },
      },
    },
  });
  const said = (value: unknown) => check(value).map(({ pointer, message }) => `${pointer} ${message}`);
  t.same(said({ tmeout: '1s' }), ['/tmeout is not a known member; did you mean timeout?']);
  t.same(said({ steps: [{ run: 1 }, { inner: { rettry: 1 } }] }), [
    '/steps/1/inner/rettry is not a known member; did you mean retry?',
  ]);
  t.same(said({ colour: 1 }), ['/colour is not a known member; known: steps, timeout']);
  t.end();
});

t.test('places within a JSON text', (t) => {
  const text = '{\n  "a/b": [1, "x\\n\\u0041\\"yz"]\n}';
  t.same(positionOf(text, '/a~1b/1'), { line: 2, column: 14 });
  t.same(positionOf(text, '/none'), { line: 1, column: 1 });
  t.same(positionInside(text, '/a~1b/1', { line: 1, column: 2 }), { line: 2, column: 16 });
  t.same(positionInside(text, '/a~1b/1', { line: 2, column: 3 }), { line: 2, column: 26 });
  t.same(positionInside(text, '/a~1b/0', { line: 2, column: 3 }), { line: 2, column: 11 });
  t.same(readJsonText('{"a": 1,\n }'), { error: { line: 2, column: 2, message: 'is not valid JSON: expected name' } });
  t.same(readJsonText('[1]'), { value: [1] });
  t.end();
});
