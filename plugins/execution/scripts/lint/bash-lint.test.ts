import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { verbs } from '../cli/verbs.ts';
import { lintBash } from './bash-lint.ts';
import { VerbArguments } from './verb-arguments.ts';

const VERBS = new Set(
  'step sleep wait-signal wait-event wait-any wait-ask answer emit lock activity activity-submit activity-collect activity-wait-all state spawn input output annotate id-token artifact call'.split(
    ' ',
  ),
);
const TAKEN = new VerbArguments(verbs);
const said = (source: string) =>
  lintBash(source, VERBS, TAKEN).map(({ line, column, code }) => `${line}:${column} ${code.replace('lint_', '')}`);

t.test('names that differ from pass to pass', (t) => {
  t.same(said('svc step "build-$RANDOM" -- make'), ['1:10 varying_name']);
  t.same(said('day=$(date +%F)\nsvc step "deploy-$day" -- make'), ['2:10 varying_name']);
  t.same(said('a=$(svc step x -- date)\nsvc step "deploy-$a" -- make'), [], 'recorded by a step');
  t.same(said('day=$(date)\nday=fixed\nsvc step "deploy-$day" -- make'), []);
  t.same(said("svc step 'deploy-$RANDOM' -- make"), [], 'nothing is expanded in single quotes');
  t.same(said("svc step roll -- bash -c 'echo $RANDOM'"), []);
  t.same(said('svc emit "x.$(uuidgen)"; svc output set id="$(date)"'), ['1:10 varying_name']);
  t.same(said('cat <<EOF\nsvc step "$RANDOM" -- x\nEOF\n# svc step $RANDOM -- x'), []);
  t.end();
});

t.test('conditions around verbs', (t) => {
  t.same(said('if [ $RANDOM -gt 5 ]; then\n  svc step a -- true\nfi'), ['1:6 varying_condition']);
  t.same(said('if [ $RANDOM -gt 5 ]; then\n  echo\nfi\nsvc step a -- true'), []);
  t.same(said('while [ "$(date +%H)" -lt 9 ]; do svc sleep 5m; done'), ['1:9 varying_condition']);
  t.same(said('case $1 in a) echo $RANDOM;; b) svc step b -- true;; esac'), []);
  t.same(said('case $RANDOM in 1*) svc step b -- true;; esac'), ['1:6 varying_condition']);
  t.same(said('if true; then for i in 1 2; do echo $RANDOM; svc step "b-$i" -- true; done; svc sleep 1s; fi'), []);
  t.same(said('if [ $RANDOM -gt 5 ]; then\n  for i in 1; do true; done; svc sleep 1s\nfi'), ['1:6 varying_condition']);
  t.end();
});

t.test('verbs and variables in bodies of steps', (t) => {
  t.same(said("svc step a -- bash -c 'make; svc emit done'"), ['1:30 verb_in_step']);
  t.same(said('svc step a -- svc sleep 1s'), ['1:15 verb_in_step']);
  t.same(said('svc step a -- sh -c \'V=1\'\necho "$V"'), ['1:22 lost_variable']);
  t.same(said("svc step a -- sh -c 'V=1; echo $V'"), []);
  t.same(said('V=0\nsvc step a -- sh -c \'V=1\'\necho "$V"'), []);
  t.end();
});

t.test('hostile texts take little time', (t) => {
  for (const text of [
    '$('.repeat(100_000),
    '"'.repeat(99_999),
    '`'.repeat(99_999),
    "svc '".repeat(50_000),
    '<<'.repeat(50_000),
    `x=$(${'a;'.repeat(130_000)})`,
    '$(svc step $RANDOM -- '.repeat(10_000),
    'svc stepp\n'.repeat(26_000),
    Array.from({ length: 8000 }, (_, n) => `a${n + 1}=$a${n}$(date); svc step $a${n}`).join('\n'),
    Array.from({ length: 8000 }, (_, n) => `svc step a -- sh -c 'b${n}=1'`).join('\n'),
  ]) {
    const before = process.cpuUsage();
    t.ok(Array.isArray(said(`svc ${text}`)));
    const { user } = process.cpuUsage(before);
    t.ok(user < 500_000, `${text.slice(0, 40)} took ${user} µs`);
  }
  t.end();
});

/** The one that shows what breaks the rule, and one that uses a verb of the reader's own plugin. */
const WARNED: Readonly<Record<string, readonly string[]>> = {
  'file=varies.sh': ['1:10 varying_condition'],
  'file=fruit.sh': ['1:5 unknown_verb', '3:5 unknown_verb'],
};

t.test('examples have no warning', (t) => {
  const home = join(import.meta.dirname, '../../../..');
  const read = (path: string) => readFileSync(join(home, path), 'utf8');
  const scripts = globSync('{features,test}/**/*.sh', { cwd: home });
  t.ok(scripts.length > 5);
  for (const path of scripts) t.same(said(read(path)), [], path);
  const pages = globSync('{README.md,docs/*.md,plugins/**/README.md}', { cwd: home });
  for (const path of pages)
    for (const [, words = '', text = ''] of read(path).matchAll(/```(?:sh|bash)([^\n]*)\n(.*?)```/gs))
      t.same(said(text), WARNED[words.trim()] ?? [], path);
  t.end();
});
