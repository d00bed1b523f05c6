import t from 'tap';
import {
  CheckFailed,
  expandShape,
  fillDefaults,
  findScriptInputs,
  findValueErrors,
  parseExact,
  readInputs,
} from './contract.ts';

t.test('fields with their types become a schema', async (t) => {
  const written = expandShape('amount: number, env: test|live = test, count: integer = 3, note?: text');
  const schema = {
    type: 'object',
    properties: {
      amount: { type: 'number' },
      env: { type: 'string', enum: ['test', 'live'], default: 'test' },
      count: { type: 'integer', default: 3 },
      note: { type: 'string', format: 'textarea' },
    },
    required: ['amount'],
    additionalProperties: false,
  };
  t.same(written, schema, 'as a text');
  const fields = { amount: 'number', env: 'test|live = test', count: 'integer = 3', 'note?': 'text' };
  t.same(expandShape(fields), schema, 'as an object');
  t.same(expandShape(JSON.stringify(schema)), schema, 'a schema stays as it is');
  t.same(expandShape({ env: { enum: ['a', 'b'], default: 'a' } }).properties, {
    env: { enum: ['a', 'b'], default: 'a' },
  });
});

t.test('what cannot be read says where and why', async (t) => {
  for (const [shape, message] of [
    ['amount', /"amount" is not <field>: <type>/],
    ['amount: numbr', /"numbr" is not a type of amount: use string, number/],
    ['a: number, a: text', /has the field a twice/],
    ['a: integer = 1.5', /"1.5" is not a valid integer for a/],
    ['a: x|y = z', /the default of a is not one of its choices/],
    ['a b: number', /"a b" is not a valid field name/],
    ['{"a"', /is not JSON/],
    [7, /must be a JSON Schema, or fields/],
    [{}, /has no fields/],
    [{ a: 7 }, /the type of a must be a name/],
  ] as const)
    t.throws(() => expandShape(shape), { message }, JSON.stringify(shape));
  t.throws(() => expandShape(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, 'number']))), {
    message: /the limit is 100/,
  });
});

t.test('every fault of a value has its pointer', async (t) => {
  const form = JSON.stringify(expandShape('amount: number, env: test|live'));
  const errors = findValueErrors(form, {
    value: { amount: 'x', env: 'prod', more: 1 },
    called: 'payload',
    at: '/payload',
  });
  t.same(
    errors.map(({ pointer }) => pointer).toSorted((a, b) => a.localeCompare(b)),
    ['/payload/amount', '/payload/env', '/payload/more'],
  );
});

t.test('a schema that cannot be used is a failed check', async (t) => {
  const check = () => findValueErrors('{"$ref": "#/none"}', { value: 1, called: 'payload', at: '/payload' });
  t.throws(
    check,
    new CheckFailed(`the schema of the payload cannot be used: can't resolve reference #/none from id #`),
  );
});

t.test('a value gets the defaults that it lacks, and keeps everything else as it was written', async (t) => {
  const schema = JSON.stringify({
    type: 'object',
    properties: {
      n: { type: 'number' },
      size: { type: 'integer', default: 3 },
      list: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean', default: true } } } },
    },
  });
  const fill = (text: string) => fillDefaults(schema, { value: parseExact(text), called: 'input', at: '/input' });
  const written = (text: string) => {
    const filled = fill(text);
    return 'value' in filled ? JSON.stringify(filled.value) : filled;
  };
  t.equal(written('{"n":1.00,"2":9007199254740993}'), '{"n":1.00,"2":9007199254740993,"size":3}');
  t.equal(written('{"size":0,"list":[{},{"on":false}]}'), '{"size":0,"list":[{"on":true},{"on":false}]}');
  t.same(written('{"size":"x"}'), { errors: [{ pointer: '/input/size', message: 'must be integer' }] });
  const value = { size: 1 };
  t.equal((fillDefaults(schema, { value, called: 'input', at: '' }) as { value: unknown }).value, value);
});

t.test('a script declares its inputs in a comment of any language', async (t) => {
  const declared = (source: string) => {
    const found = findScriptInputs(source);
    return found && 'declared' in found ? found.declared : found;
  };
  const line = 'service: string, replicas: integer = 1';
  for (const sign of ['#', '//', '--', ';;', '%', ' *']) t.equal(declared(`${sign} svc:inputs ${line}\n`), line, sign);
  t.equal(declared(`/* svc:inputs ${line} */\n`), line);
  t.equal(declared(`#!/bin/bash\nset -e\n\n# svc:inputs ${line}\necho`), line, 'below other lines');
  const block = '# svc:inputs\n#   service: string\n#   env: {"enum": ["test", "live"]}\n# More words: nothing\n';
  t.same(declared(block), { service: 'string', env: { enum: ['test', 'live'] } });
  const json = '// svc:inputs {\n//   "service": "string"\n// }\n// other\n';
  t.same(JSON.parse(String(declared(json))), { service: 'string' });
  t.equal(declared('echo svc:inputs a: string\n'), undefined, 'not in code');
  t.match(declared('x\n#   svc:input a: string'), { line: 2, column: 5, problem: /svc:inputs/ });
  t.match(declared('# svc:inputs\necho'), { line: 1, problem: /names no inputs/ });
});

t.test('declared inputs are the members of an object', async (t) => {
  t.match(readInputs({ properties: { a: {} } }), { schema: { type: 'object' } });
  t.match(readInputs({ type: 'string' }), { problem: /must describe an object/ });
  const itself: Record<string, unknown> = {};
  itself.a = itself;
  t.match(readInputs(itself), { problem: 'must not contain itself' });
  t.match(readInputs({ a: Buffer.from('hi') }), { problem: /the type of a must be a name/ });
  for (const name of ['__proto__', 'constructor', 'toString']) {
    t.match(readInputs(`${name}?: string`), { problem: `a field cannot have the name ${name}` });
    const text = `{"properties": {${JSON.stringify(name)}: {"default": "a"}}}`;
    t.match(readInputs(text), { problem: `a field cannot have the name ${name}` });
  }
  t.match(readInputs({ a: { type: 'string', minLength: 'x' } }), { problem: /is not a JSON Schema/ });
  t.match(readInputs({ a: { type: 'string', description: 'x'.repeat(9000) } }), { problem: /the limit is 8192/ });
  t.match(readInputs({ a: { type: 'integer', default: 'many' }, b: 'string' }), {
    problem: 'the default of a is not valid: /a must be integer',
  });
  t.match(readInputs({ a: { type: 'number', default: Number.POSITIVE_INFINITY } }), { problem: /default of a/ });
  t.match(readInputs({ a: { type: 'array', items: { type: 'string' }, default: [1] } }), { problem: /\/a\/0 must be/ });
  t.match(readInputs({ a: { type: ['string', 'null'] } }), {
    schema: { properties: { a: { type: ['string', 'null'] } } },
  });
  t.match(readInputs({ a: { type: 5 } }), { problem: /is not a JSON Schema/ });
  t.match(readInputs({ a: { type: 'integer', default: 1 }, b: 'string' }), { schema: { required: ['b'] } });
  t.same(readInputs({ a: { type: 'string', required: false }, b: { type: 'integer', required: true } }), {
    schema: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      required: ['b'],
      additionalProperties: false,
    },
  });
});

t.test('dates, email addresses and URLs are checked, and other formats only describe', async (t) => {
  const schema = JSON.stringify(expandShape('day: date, to: email, at: url, note: text'));
  const faults = (value: object) => findValueErrors(schema, { value, called: 'input', at: '/input' });
  const fitting = { day: '2028-02-29', to: 'zoe@example.com', at: 'https://example.com/a?b=1', note: 'two\nlines' };
  t.same(faults(fitting), []);
  t.same(faults({ day: 'tomorrow', to: 'zoe', at: 'example', note: '' }), [
    { pointer: '/input/day', message: 'must be a date such as 2026-11-30' },
    { pointer: '/input/to', message: 'must be an email address' },
    { pointer: '/input/at', message: 'must be a URL' },
  ]);
  t.match(faults({ ...fitting, day: '2026-02-30' }), [{ pointer: '/input/day' }]);
  const described = JSON.stringify({ type: 'string', format: 'colour' });
  t.same(findValueErrors(described, { value: 'any', called: 'input', at: '' }), []);
});
