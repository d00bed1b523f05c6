import t from 'tap';
import { jqFilter } from './jq.ts';

const filter = (expression: string, indented = false) => jqFilter(expression, { indented });

t.test('texts are printed as they are, everything else as JSON', async (t) => {
  const printed = async (expression: string, json: string, indented?: boolean) => {
    const { stdout, messages, error } = (await filter(expression, indented))(json);
    t.same({ said: messages, fault: error }, { said: '', fault: undefined }, expression);
    return stdout;
  };
  t.equal(await printed('.runs[].id', '{"runs":[{"id":"a"},{"id":"b"}]}'), 'a\nb\n');
  t.equal(await printed('.', '{"b":1,"a":[true,null]}'), '{"b":1,"a":[true,null]}\n');
  t.equal(await printed('.', '{"a":[1]}', true), '{\n  "a": [\n    1\n  ]\n}\n');
  t.equal(await printed('.a', '{"a":1}\n{"a":2}\n'), '1\n2\n', 'several values');
  t.equal(await printed('"", "  x\n\n", ""', '1'), '\n  x\n\n\n\n');
  t.equal(await printed('empty', '1'), '');
  t.equal(await printed('.a', '{"a":"x\\u0000y"}'), 'x\0y\n');
  t.equal(await printed('-1', '1'), '-1\n', 'no flag of jq');
  t.equal(await printed('--version', '{"version":1}').catch(({ exit }) => exit), 2);
  t.equal(await printed('def f: .a; [f] # why', '{"a":"é漢😀"}'), '["é漢😀"]\n');
});

t.test('numbers stay what they are', async (t) => {
  const { stdout } = (await filter('.'))('{"a":820982911946154508,"b":10.00}');
  t.equal(stdout, '{"a":820982911946154508,"b":10.00}\n');
  t.equal((await filter('.a == 820982911946154509'))('{"a":820982911946154508}').stdout, 'false\n');
});

t.test('what is no filter is a usage error, with its place as it was written', async (t) => {
  await t.rejects(filter('.runs['), { exit: 2, message: /^invalid jq filter: syntax error.* line 1, column 6/ });
  await t.rejects(filter('$x'), { exit: 2, message: /\$x is not defined/ });
  await t.rejects(filter(''), { exit: 2, message: /not given/ });
});

t.test('what fails says why, after what it had put out', async (t) => {
  const first = (await filter('.a, .a.b'))('{"a":[1]}');
  t.match(first, { stdout: '[1]\n', error: { exit: 1, code: 'jq_failed', message: /^jq: Cannot index array/ } });
  t.match((await filter('error({n: 1})'))('1').error, { message: /"n":1/ });
  t.match((await filter('debug'))('1'), { stdout: '1\n', messages: /DEBUG/ });
});

t.test('a filter that needs too much memory says so in words of svc', async (t) => {
  const printed = t.capture(console, 'error');
  for (const expression of ['[range(5e8)]', 'def f: [f]; f', `${'['.repeat(5000)}${']'.repeat(5000)}`]) {
    const { error } = (await filter(expression))('1');
    t.match(
      error,
      { exit: 1, code: 'jq_failed', message: /needs too much memory/, next: /--json/ },
      expression.slice(0, 20),
    );
  }
  t.same(printed(), [], 'WebAssembly prints nothing itself');
});
