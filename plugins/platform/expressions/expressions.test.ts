import { parse } from '@bufbuild/cel';
import t from 'tap';
import { isServiceError } from '../../../kernel/contracts/index.ts';
import { parseExact } from '../schema/contract.ts';
import { cpuOf, maxHoldMs } from '../../../test/kit/index.ts';
import type { Expr } from './ast.ts';
import { createExpressions } from './create-expressions.ts';
import { readPath } from './read-path.ts';

const expressions = createExpressions();
const event = {
  type: 'build.done',
  payload: {
    n: 1,
    half: 0.5,
    text: 'abc',
    list: [1, 2, 3],
    none: null,
    nested: { constructor: { name: 'mine' }, a: null },
    long: 'x'.repeat(1_000_000),
    many: Array.from({ length: 100_000 }, (_, index) => index),
  },
};

const evaluate = (source: string) => expressions.compile(source, ['event']).evaluate({ event });
const answerOf = (source: string) => {
  const found = evaluate(source);
  return found.ok ? found.value : `! ${found.reason}`;
};
const problemsOf = (source: string) =>
  expressions.check(source, ['event']).map(({ line, column, message }) => `${line}:${column} ${message}`);

t.test('numbers of JSON are what people expect', async (t) => {
  t.equal(answerOf('event.payload.n + 1'), 2);
  t.equal(answerOf('event.payload.n == 1'), true);
  t.equal(answerOf('event.payload.n == 1.0'), true);
  t.equal(answerOf('event.payload.n > 0.5 && event.payload.half < event.payload.n'), true);
  t.equal(answerOf('event.payload.n * event.payload.half'), 0.5);
  t.equal(answerOf('1.0 - event.payload.n'), 0);
  t.equal(answerOf('event.payload.list[event.payload.n]'), 2);
  t.equal(answerOf('size(event.payload.text) + event.payload.list.size()'), 6);
  t.equal(answerOf('event.payload.n in [1.0, 2.0]'), true);
  t.same(answerOf('event.payload.list.filter(x, x > 1).map(x, x * 2)'), [4, 6]);
});

/** Answers of expressions over a payload that is given as text. */
function over(payload: string) {
  const scope = { event: { payload: parseExact(payload) } };
  return (source: string): string => {
    const found = expressions.compile(source, ['event']).evaluate(scope);
    return found.ok ? JSON.stringify(found.value) : `! ${found.reason}`;
  };
}

t.test('integers of up to 64 bits are exact', async (t) => {
  const answer = over(
    '{"id":820982911946154508,"least":-9223372036854775808,"most":9223372036854775807,"u":18446744073709551615,"n":1}',
  );
  t.equal(answer('event.payload.id == 820982911946154508'), 'true');
  t.equal(answer('event.payload.id == 820982911946154500 || event.payload.id == 820982911946154509'), 'false');
  t.equal(answer('event.payload.id in [820982911946154507, 820982911946154509]'), 'false');
  t.equal(answer('event.payload.id > 820982911946154507 && event.payload.id < 820982911946154509'), 'true');
  t.equal(answer('event.payload.id + event.payload.n'), '820982911946154509');
  t.equal(answer('event.payload.id % 1000'), '508');
  t.equal(answer('"order " + string(event.payload.id)'), '"order 820982911946154508"');
  t.equal(answer('int("820982911946154508") == event.payload.id'), 'true');
  t.equal(answer('[event.payload.least, event.payload.most]'), '[-9223372036854775808,9223372036854775807]');
  t.match(answer('event.payload.most + 1'), /: a whole number is out of range$/);
  t.equal(answer('event.payload.u == 18446744073709551615u'), 'true');
  t.equal(answer('event.payload.u - 1u'), '18446744073709551614');
  t.equal(answer('event.payload.u > event.payload.most'), 'true');
  t.equal(answer('event.payload.u * 0.0'), '0');
  t.equal(
    answer('string(event.payload.u) + " " + string(type(event.payload.u) == uint)'),
    '"18446744073709551615 true"',
  );
});

t.test('a number that cannot be exact is an error where it is read, and only there', async (t) => {
  const text =
    '{"big":18446744073709551616,"huge":1e400,"list":[{"a b":-9223372036854775809}],"long":0.1000000000000000055}';
  const answer = over(text);
  t.equal(answer('event.payload.big'), '! event.payload.big: the number has more than 64 bits');
  t.equal(answer('event.payload.huge > 1.0'), '! event.payload.huge: the number is too large for a double');
  t.equal(
    answer('event.payload.list.exists(x, x["a b"] == 1)'),
    '! event.payload.list[0]["a b"]: the number has more than 64 bits',
  );
  t.match(answer('event.payload.big == 1 || true'), /^! event.payload.big: /, 'even where CEL would go on without it');
  t.match(answer('event.payload.list == [{"a b": 1}]'), /^! event.payload.list.0...a b..: /);
  t.equal(answer('has(event.payload.big) && "huge" in event.payload && size(event.payload) == 4'), 'true');
  t.equal(answer('event.payload'), text, 'it is passed on');
  t.equal(answer('{"kept": event.payload.list}'), '{"kept":[{"a b":-9223372036854775809}]}');
  t.equal(answer('event.payload.long == 0.1'), 'true', 'a decimal is read as the nearest double');
});

t.test('what is passed on is written as it was', async (t) => {
  const text = '{"10":1.0,"9":[1e2,-0],"price":10.50}';
  t.equal(over(text)('event.payload'), text);
  t.equal(over(text)('[event.payload, event.payload["9"]]'), `[${text},[1e2,-0]]`);
});

t.test('values are answered as JSON', async (t) => {
  t.equal(answerOf('9007199254740993'), 9_007_199_254_740_993n);
  t.same(answerOf('{"a": [null, true, 1u, 2.5], "b": b"abc"}'), { a: [null, true, 1, 2.5], b: 'YWJj' });
  t.equal(answerOf('duration("90m")'), '5400s');
  t.equal(answerOf('timestamp("2026-01-01T00:00:00Z") + duration("1h")'), '2026-01-01T01:00:00Z');
  t.equal(answerOf('1.0 / 0.0'), 'Infinity');
  t.equal(answerOf('type(event.payload)'), 'map');
  t.same(answerOf('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}'));
});

t.test('an absent field is named, and has() asks for it', async (t) => {
  t.equal(answerOf('event.payload.sha == "a"'), '! event.payload.sha: no such field');
  t.equal(answerOf('event.payload.trigger.repo'), '! event.payload.trigger: no such field');
  t.equal(answerOf('event.payload["content-type"]'), '! event.payload["content-type"]: no such field');
  t.equal(answerOf('event.payload.list[7]'), '! event.payload.list[7]: no such element');
  t.equal(answerOf('event.payload.list.all(x, x.sha == "a")'), '! x.sha: no such field');
  t.equal(answerOf('has(event.key)'), false);
  t.equal(answerOf('has(event.key) && event.key == "a"'), false);
  t.equal(answerOf('has(event.payload.none) && event.payload.none == null'), true);
  t.equal(answerOf('"none" in event.payload'), true);
  t.equal(answerOf('has({"a": null}.a)'), true);
});

t.test('only own properties are fields', async (t) => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    t.equal(answerOf(`has(event.payload.${name})`), false, name);
    t.equal(answerOf(`event.payload.${name}`), `! event.payload.${name}: no such field`);
    t.equal(answerOf(`event.payload["${name}"]`), `! event.payload["${name}"]: no such field`);
  }
  t.equal(answerOf('event.payload.nested.constructor.name'), 'mine');
  t.equal(answerOf('event.payload.list.length'), '! event.payload.list.length: no such field');
});

t.test('reasons name types and places, never values', async (t) => {
  t.equal(answerOf('event.payload.text + 1'), '! line 1, column 20: + does not take string, int');
  t.equal(answerOf('event.payload.text ? 1 : 2'), '! line 1, column 1: a condition must be true or false, not string');
  t.equal(answerOf('event.payload.n / 0'), '! line 1, column 17: a division by zero');
  t.match(answerOf('int(event.payload.text)'), /^! line 1, column 1: the text is not a valid int$/);
  t.match(answerOf('timestamp(event.payload.text)'), /: the text is not a valid timestamp$/);
  t.match(answerOf('duration(event.payload.text)'), /: cannot be evaluated$/);
  t.match(answerOf('bool(event.payload.text)'), /: the text is neither true nor false$/);
  t.match(answerOf('9223372036854775807 + event.payload.n'), /: a whole number is out of range$/);
  t.match(expressions.compile('event.payload.n', ['event']).test({ event }), {
    ok: false,
    reason: 'the expression is neither true nor false',
  });
  t.match(expressions.compile('event.type == "build.done"', ['event']).test({ event }), { ok: true, value: true });
  t.match(expressions.compile('event.type', ['event']).evaluate({}), { ok: false });
});

t.test('what cannot be known is refused before anything runs', async (t) => {
  t.same(problemsOf('evnt.type == "a"'), ['1:1 unknown name `evnt`: allowed: event; did you mean `event`?']);
  t.same(problemsOf('true ||\n  steps.a'), ['2:3 unknown name `steps`: allowed: event']);
  t.same(problemsOf('event.foo() && bar(1)'), ['1:6 unknown function `foo`', '1:16 unknown function `bar`']);
  t.match(problemsOf('contains(event.type, "a")'), [/is called on a value/]);
  t.match(problemsOf('event.payload.list.all(x)'), [/`all` takes a name and a predicate/, /unknown name `x`/]);
  t.match(problemsOf('event.type.matches("(")'), [/1:20 this is not a regular expression/]);
  t.match(problemsOf('google.protobuf.Timestamp{}'), [/messages are not supported/]);
  t.match(problemsOf('99999999999999999999'), [/too large/]);
  t.same(problemsOf('event.type == '), ['1:12 unexpected `==`']);
  t.match(problemsOf(''), [/ends too early/]);
  t.same(problemsOf('event.in.n > 1'), ['1:7 `in` is a reserved word: write ["in"] instead of .in']);
  t.same(problemsOf('event["in"].n > 1'), []);
  t.match(problemsOf('"\ud800"'), [/surrogate/]);
  t.same(problemsOf('[1].all(x, x > 0) && [event].all(e, e.type != "")'), []);
  t.same(problemsOf('// first\n// second\nevent.type == "// no comment"'), [], 'two comments in a row');
  try {
    expressions.compile('a', ['event']);
    t.fail('compiled');
  } catch (error) {
    t.ok(isServiceError(error, 'expression_invalid'));
    t.match(error, { status: 400, extras: { data: { problems: [{ line: 1, column: 1 }] } } });
  }
});

t.test('length and depth are bounded', async (t) => {
  t.match(problemsOf(`"${'x'.repeat(9000)}"`), [/the limit is 8192/]);
  t.match(problemsOf(`${'('.repeat(65)}1${')'.repeat(65)}`), [/brackets can be nested at most 64 levels deep/]);
  t.match(problemsOf(`${'true ? 1 : '.repeat(700)}1`), [/at most 250 levels deep/]);
  t.match(problemsOf(`1${'+1'.repeat(2000)}`), [/at most 250 levels deep/]);
  t.match(problemsOf(`event${'.a'.repeat(3000)}`), [/at most 250 levels deep/]);
  t.same(problemsOf(`${'('.repeat(60)}1${')'.repeat(60)}`), []);
  t.same(problemsOf('"((((" + \'[[[\' + r"{{{"'), [], 'brackets in texts are none');
  let deep: unknown = 1;
  for (let depth = 0; depth < 100; depth++) deep = { a: deep };
  const same = expressions.compile('event == event.a', ['event']);
  t.same(same.evaluate({ event: deep }), { ok: true, value: false });
});

/** The longest that these blocked, in ms of the processor: what others do on the machine counts for nothing. */
function blocked(sources: readonly string[]): { longest: number; answers: unknown[] } {
  let longest = 0;
  const answers = sources.map((source) => {
    const compiled = expressions.compile(source, ['event']);
    const took = [0, 1, 2].map(() => {
      return cpuOf(() => compiled.evaluate({ event }));
    });
    longest = Math.max(longest, Math.min(...took));
    return compiled.evaluate({ event });
  });
  return { longest, answers };
}

t.test('work is counted, and ends', async (t) => {
  const range = `[${Array.from({ length: 300 }, (_, index) => index).join(',')}]`;
  const pairs = `${range}.map(x, ${range}.map(y, [x, y]))`;
  const huge = [
    `${range}.all(x, ${range}.all(y, ${range}.all(z, x + y + z >= 0)))`,
    `${range}.all(x, ${range}.all(y, ${range}.all(z, x + y + z >= 0))) || true`,
    `${range}.exists(x, ${range}.exists(y, ${range}.exists(z, x + y + z < 0)))`,
    pairs,
    `${range}.all(x, event.payload.many == event.payload.many.map(y, y))`,
    `${range}.all(x, event.payload.long.contains(event.payload.long + "y"))`,
    `${range}.all(x, event.payload.long.matches("[a-z]*y"))`,
    `${range}.exists(x, "${'ab'.repeat(200)}".matches("([ab]|a|b){900}c"))`,
    `event.payload.long${' + event.payload.long'.repeat(200)}`,
    `${range}.all(x, size(event.payload.long) > 0)`,
    `${range}.all(x, timestamp("2026-01-01T00:00:00Z").getHours("Europe/Berlin") > 0)`,
    `${range}.all(x, int(event.payload.long + "1") > 0)`,
    `${range}.all(x, ${range}.all(y, {"a": x, "b": y} == {"a": x, "b": y}))`,
    // Every turn of these makes errors, which the loop absorbs.
    `${range}.all(x, ${range}.all(y, timestamp("z") > timestamp("z")))`,
    `${range}.all(x, ${range}.all(y, x / 0 > y))`,
    `${range}.exists(x, ${range}.exists(y, event.payload.many[-1] > 0))`,
  ];
  const { longest, answers } = blocked(huge);
  t.comment(`the longest of ${huge.length} hostile expressions took ${longest.toFixed(1)} ms`);
  t.ok(longest < maxHoldMs(), `${longest.toFixed(1)} ms`);
  const bounded = answers.filter((answer) => !(answer as { ok: boolean }).ok);
  t.equal(bounded.length, huge.length, 'none is answered');
});

t.test('a condition may be given less work, and says what it took', async (t) => {
  const range = `[${Array.from({ length: 300 }, (_, index) => index).join(',')}]`;
  const turns = expressions.compile(`${range}.all(x, x >= 0)`, ['event']);
  const { units, ...whole } = turns.test({ event });
  t.same(whole, { ok: true, value: true, spent: false });
  t.ok(units > 300 && units < 10_000, `${units} units`);
  t.same(turns.test({ event }, units), { ok: true, value: true, spent: false, units }, 'the same again');
  t.match(turns.test({ event }, units - 1), { ok: false, reason: /too much work/, spent: true, units: units - 1 });
  t.match(expressions.compile(`${range}.all(x, x >= 0) || true`, ['event']).test({ event }, 100), { spent: true });
  t.match(turns.test({ event }, 1_500_000), { ok: true }, 'more than one may take is no more');
});

t.test('what is compiled is ready', async (t) => {
  const one = createExpressions();
  t.equal(one.ready('event.a', ['event']), undefined);
  const compiled = one.compile('event.a', ['event']);
  t.equal(one.ready('event.a', ['event']), compiled);
  t.equal(one.ready('event.a', ['event', 'other']), undefined);
});

t.test('blanks and comments at the end cost nothing', async (t) => {
  for (const [what, end] of Object.entries({
    blanks: ' '.repeat(8000),
    lines: '\n'.repeat(8000),
    words: ` // ${'x'.repeat(8000)}`,
  })) {
    const took = ['1', '2', '3'].map((n) => {
      const before = process.threadCpuUsage();
      expressions.compile(`event.n == ${n}${end}`, ['event']);
      return process.threadCpuUsage(before).user / 1000;
    });
    t.ok(Math.min(...took) < 100, `${what}: ${took.map((ms) => ms.toFixed(1)).join(', ')} ms`);
  }
  t.same(problemsOf(`event.n ==${' '.repeat(100)}`), problemsOf('event.n =='));
});

t.test('what people write is far inside the budget', async (t) => {
  t.equal(answerOf('event.payload.many.size()'), 100_000);
  t.equal(answerOf('event.payload.long.contains("y")'), false);
  t.equal(answerOf('event.payload.long.startsWith("xx") && size(event.payload.long) == 1000000'), true);
  t.equal(answerOf('event.payload.list.exists_one(x, x == 2)'), true);
  const list = { event: { payload: Array.from({ length: 5000 }, (_, id) => ({ id, path: `src/${id}.ts` })) } };
  const paths = expressions.compile('event.payload.exists(f, f.path.startsWith("docs/"))', ['event']);
  t.same(paths.evaluate(list), { ok: true, value: false });
});

t.test('compiled expressions are shared, and the oldest are let go', async (t) => {
  const one = expressions.compile('event.type == "shared"', ['event']);
  t.equal(expressions.compile('event.type == "shared"', ['event']), one);
  t.not(expressions.compile('event.type == "shared"', ['event', 'vars']), one);
  for (let index = 0; index < 2100; index++) expressions.compile(`event.type == "${index}"`, ['event']);
  t.not(expressions.compile('event.type == "shared"', ['event']), one);
});

t.test('uses of a name: its members, and where they are', (t) => {
  const uses = (text: string) => expressions.compile(text, ['nodes', 'input']).uses('nodes');
  t.same(uses('nodes.a.output +\n nodes["b-c"].x'), [
    { member: 'a', inner: 'output', line: 1, column: 1 },
    { member: 'b-c', inner: 'x', line: 2, column: 2 },
  ]);
  t.same(uses('has(nodes.a.b)'), [{ member: 'a', inner: null, line: 1, column: 5 }], 'only asked for');
  t.same(uses('has(nodes.a.b.c)'), [{ member: 'a', inner: 'b', line: 1, column: 5 }]);
  t.same(uses('nodes.a["b"].c'), [{ member: 'a', inner: 'b', line: 1, column: 1 }]);
  t.same(uses('nodes["a"][nodes.b.c]'), [
    { member: 'a', inner: null, line: 1, column: 1 },
    { member: 'b', inner: 'c', line: 1, column: 12 },
  ]);
  t.same(uses('nodes.a'), [{ member: 'a', inner: null, line: 1, column: 1 }]);
  t.same(uses('nodes[input.x].y'), [{ member: null, inner: 'y', line: 1, column: 1 }]);
  t.same(uses('size(nodes)'), [{ member: null, inner: null, line: 1, column: 6 }]);
  t.same(uses('[1].map(nodes, nodes)'), [], 'the variable of a loop');
  t.same(uses('input.l.map(i, nodes.q.output[i])'), [{ member: 'q', inner: 'output', line: 1, column: 16 }]);
  t.same(uses('"nodes.a"'), []);
  t.end();
});

t.test('a path is read as the parser reads it', (t) => {
  const paths = [
    'a',
    'a.b',
    'a.b.c',
    'a["b"]',
    'a["b-c"].d["e f"].g',
    '_x.y1',
    'a["é"].b',
    'truth.inner.in_x',
    'a.as.if',
  ];
  for (const path of paths) {
    const { expr, sourceInfo } = parse(path);
    const read = readPath(path);
    t.same(placed(read!.expr!, read!.positions), placed(expr!, sourceInfo!.positions), path);
  }
  for (const other of [
    'in',
    'true',
    'a.in',
    'a.true',
    'as.b',
    'a b',
    'a.b()',
    'a[0]',
    'a["\\n"]',
    "a['b']",
    '.a',
    'a.',
    '1.b',
    '',
  ])
    t.equal(readPath(other), undefined, other);
  t.end();
});

/** A tree with offsets in place of ids, which only have to be different. */
function placed(expr: Expr, positions: Readonly<Record<string, number>>): unknown {
  return JSON.parse(
    JSON.stringify(expr, (key, value: unknown) => (key === 'id' ? positions[JSON.stringify(value)] : value)),
  );
}
