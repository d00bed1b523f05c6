import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { until } from '../kit/index.ts';
import { boundedRun } from './bounded-run.ts';
import { countsOf, type Outcome, pageOf, standingOf, told } from './page.ts';
import type { Mutant } from './planted.ts';
import { Results } from './results.ts';
import { withSame } from './selection.ts';
import { failedScenarios, foundIn, type Verdict } from './trial.ts';
import { Types } from './types.ts';

const mutant: Mutant = {
  ...{ breaks: 'EVT-001', what: 'A <b> type is long.', file: 'kernel/contracts/duration.ts' },
  ...{ find: 'a', replace: 'b', nth: 1, family: 'events' },
};
const by = { test: 'features/a.feature:7', store: 'sqlite', name: 'it is short', names_rule: true } as const;
const caught: Verdict = { result: 'caught', by };

t.test('a program is ended with all that it has started', async (t) => {
  const file = join(t.testdir({}), 'pid');
  // In a session of its own, as servers and agents are.
  const source = `setsid sleep 1000 & echo $! > ${file}; echo said; exec sleep 1000`;
  const ended = await boundedRun(['bash', '-c', source], { cwd: '.', env: process.env, bound_ms: 1500 });
  t.match(ended, { hung: true, output: /said/ });
  const left = `/proc/${readFileSync(file, 'utf8').trim()}/stat`;
  // Whoever was killed may stand there dead for a moment.
  const gone = () => !existsSync(left) || readFileSync(left, 'utf8').includes(') Z ');
  t.ok(await until(gone, { within_ms: 60_000, what: 'the end of what it had left behind' }));
  const quick = ['bash', '-c', 'test -d "$TMPDIR" && echo "$TMPDIR"; exit 3'];
  const { code, hung, output } = await boundedRun(quick, { cwd: '.', env: process.env, bound_ms: 60_000 });
  t.same([code, hung], [3, false]);
  t.not(output.trim(), '');
  t.notOk(existsSync(output.trim()), 'its folder is gone');
});

t.test('what failed is found in what cucumber and tap print', async (t) => {
  const cucumber = `
Failed scenarios:
  1) renewed, lost at the provider # features/accounts/accounts.feature:6
       Then it "soon" is # features/steps/http.ts:60
  2) another # features/a.feature:70

3 scenarios (2 failed, 1 passed)`;
  t.same(failedScenarios(cucumber), [
    { name: 'renewed, lost at the provider', test: 'features/accounts/accounts.feature:6' },
    { name: 'another', test: 'features/a.feature:70' },
  ]);
  t.match(foundIn(cucumber, 'features'), { test: 'features/accounts/accounts.feature:6' });
  const tap = 'TAP version 14\n# Subtest: types\n    not ok 1 - inner\nnot ok 1 - types of events # time=12ms\n';
  t.same(foundIn(tap, 'a.test.ts'), { test: 'a.test.ts', name: 'types of events' });
  const bailed = '# Subtest: types\n    not ok 1 - inner\n    Bail out! inner\n';
  t.same(foundIn(bailed, 'a.test.ts'), { test: 'a.test.ts', name: 'inner' });
  t.same(foundIn('killed', 'a.test.ts'), { test: 'a.test.ts', name: '' });
});

t.test('a rule is shown by what shows another that says the same', async (t) => {
  const rules = [
    { id: 'RUN-007', same: undefined },
    { id: 'LIM-004', same: 'RUN-007' },
    { id: 'ERR-001', same: 'RUN-007' },
    { id: 'RUN-008', same: undefined },
  ];
  t.same(withSame('LIM-004', rules), ['LIM-004', 'RUN-007', 'ERR-001']);
  t.same(withSame('RUN-007', rules), ['RUN-007', 'LIM-004', 'ERR-001']);
  t.same(withSame('RUN-008', rules), ['RUN-008']);
});

t.test('what is known survives the run, until the mutant changes', async (t) => {
  const file = join(t.testdir({}), 'reports/mutants.jsonl');
  const first = await Results.open(file);
  t.equal(first.of(mutant), undefined);
  await first.tried(mutant, { result: 'survived', ran: 2, left_out: 1 }, 4.25);
  await first.tried(mutant, caught, 3.14);
  const second = await Results.open(file);
  t.same(second.of(mutant), { verdict: caught, seconds: 3.1 }, 'the last one counts');
  await second.looked(by, false);
  t.match((await Results.open(file)).of(mutant), { confirmed: false });
  await second.tried(mutant, caught, 3.14);
  t.equal(second.of(mutant)?.confirmed, undefined, 'a test that has caught one again is looked at again');
  t.equal(second.of({ ...mutant, replace: 'c' }), undefined);
  t.match(second.of({ ...mutant, what: 'In other words.' }), { verdict: caught });
});

t.test('the page tells rule by rule how each mutant stands', async (t) => {
  const known = (verdict: Verdict, confirmed?: boolean): Outcome => ({
    mutant,
    known: { verdict, seconds: 1, ...(confirmed === undefined ? {} : { confirmed }) },
  });
  const outcomes: [Outcome, string, RegExp][] = [
    [known(caught, true), 'caught', /^caught by features\/a\.feature:7 "it is short"$/],
    [known({ result: 'hung', by: { ...by, store: 'mysql' } }), 'caught', /^caught by timeout in .* on MySQL$/],
    [known({ result: 'caught', by: { ...by, names_rule: false } }), 'weak', /^caught by/],
    [known(caught, false), 'doubtful', /fails without the fault too$/],
    [known({ result: 'survived', ran: 3, left_out: 2 }), 'survived', /^survived 3 runs of tests; 2 files left out/],
    [known({ result: 'invalid', why: 'no' }), 'invalid', /^invalid: no$/],
    [{ mutant: { ...mutant, equivalent: 'nobody sees it' }, known: undefined }, 'equivalent', /nobody sees it$/],
    [{ mutant, known: undefined }, 'not_run', /^not run$/],
  ];
  for (const [outcome, standing, words] of outcomes) {
    t.equal(standingOf(outcome), standing);
    t.match(told(outcome), words);
  }
  const all = outcomes.map(([outcome]) => outcome);
  t.match(countsOf(all), { caught: 2, weak: 1, survived: 1, not_run: 1 });
  const page = pageOf(all, new Date(0));
  t.match(page, '8 for 1 rules: 2 caught');
  t.match(page, 'A &lt;b&gt; type is long.');
  t.notMatch(page, '<b>');
});

t.test('a fault that does not compile is known by its types', async (t) => {
  const folder = t.testdir({
    'tsconfig.json': JSON.stringify({ compilerOptions: { strict: true, noUnusedLocals: true }, include: ['*.ts'] }),
    'one.ts': 'export const one: number = 1;\n',
    'two.ts': "import { one } from './one';\nexport const two: number = one + 1;\n",
  });
  const types = new Types(join(folder, 'tsconfig.json'));
  const file = join(folder, 'two.ts');
  t.equal(
    types.errorIn(file, (text) => text),
    undefined,
  );
  t.match(
    types.errorIn(file, (text) => text.replace('one + 1', '`${one}`')),
    /not assignable/,
  );
  t.match(
    types.errorIn(file, (text) => text.replace('one + 1', 'one +')),
    /expected/,
  );
  t.equal(
    types.errorIn(file, (text) => text.replace('one + 1', '3')),
    undefined,
    'what is no longer used is no error',
  );
  t.equal(
    types.errorIn(join(folder, 'three.py'), () => '('),
    undefined,
    'not of the program',
  );
});
