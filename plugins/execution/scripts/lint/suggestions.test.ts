import { readFileSync } from 'node:fs';
import t from 'tap';
import * as sdk from '../sdk/sdk.mjs';
import { lintBash } from './bash-lint.ts';
import { SDK_NAMES, unknownName, unknownVerb } from './suggestions.ts';

const VERBS = new Set(['step', 'sleep', 'wait-signal', 'state']);

t.test('the names of the SDKs are those that they have', async (t) => {
  t.same([...SDK_NAMES.javascript].toSorted(), Object.keys(sdk).toSorted());
  for (const file of ['__init__', 'aio']) {
    const text = readFileSync(new URL(`../sdk/svc_sdk/${file}.py`, import.meta.url), 'utf8');
    const [, list = ''] = /^__all__ = \[(.*?)\]/ms.exec(text) ?? [];
    const names = [...list.matchAll(/"(\w+)"/g)].map(([, name]) => name!);
    t.ok(names.length > 10);
    t.same(
      names.filter((name) => !SDK_NAMES.python.has(name)),
      [],
      file,
    );
  }
});

t.test('unknown words, with what was probably meant', async (t) => {
  t.equal(unknownVerb('stpe', VERBS), 'unknown verb `svc stpe`; did you mean `svc step`?');
  t.equal(unknownVerb('frobnicate', VERBS), 'unknown verb `svc frobnicate`');
  for (const word of ['step', 'status', 'runs', 'help', '$verb', '--help', 'X'])
    t.equal(unknownVerb(word, VERBS), undefined, word);
  t.equal(unknownName('waitSignl', 'javascript'), 'the SDK has no `waitSignl`; did you mean `waitSignal`?');
  t.equal(unknownName('wait_signal', 'javascript'), 'the SDK has no `wait_signal`; did you mean `waitSignal`?');
  for (const name of ['wait_signal', '*', '', '_wire']) t.equal(unknownName(name, 'python'), undefined);
});

t.test('in bash they have their places', async (t) => {
  const found = lintBash('svc step a -- true\nif true; then svc slep 1s; fi\nx=$(svc stat)\nsvc "$verb"; svc', VERBS);
  t.same(
    found.map(({ line, column, code }) => `${line}:${column} ${code}`),
    ['2:19 lint_unknown_verb', '3:9 lint_unknown_verb'],
  );
});
