import t from 'tap';
import { Expressions } from '../../../../kernel/contracts/index.ts';
import { boot } from '../../../../test/kit/index.ts';
import { DocumentWorkers } from '../../../platform/expressions/contract.ts';
import { PipelineReader, readPipeline } from './read.ts';

t.setTimeout(120_000);

const kernel = await boot({ plugins: ['expressions'], quiet: true });
t.teardown(() => kernel.close());
const expressions = kernel.use(Expressions);

const problems = (text: string): string[] => {
  const read = readPipeline(text, expressions);
  const found = 'problems' in read ? read.problems : read.undeclared;
  return found.map(({ line, column, message }) => `${line}:${column} ${message}`);
};

t.test('input that is meant to hurt is refused in bounded work', async (t) => {
  t.match(problems(`jobs: ${'['.repeat(100_000)}`)[0], /nested too deep/);
  t.match(problems(Array.from({ length: 2000 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'))[0], /nested too deep/);
  t.match(problems('jobs: &a\n  x: *a\n')[0], /^2:3 `x` is not supported|^2:6/);
  const many = Array.from({ length: 3000 }, (_, n) => `  j${n}: { stepz: [] }`).join('\n');
  t.ok(problems(`jobs:\n${many}`).length <= 100);
  t.match(problems('jobs: { __proto__: { steps: [{ run: x }] } }')[0], /pattern/);
});

t.test('keys of other systems say what to write instead', (t) => {
  const steps = 'steps: [{ run: x }]';
  t.same(problems(`on: push\njobs: { a: { runs-on: x, ${steps} } }`), [
    '1:1 `on` is not supported here: a pipeline does not define when it runs; start it with `svc webhook set`, `svc handler set` or `svc schedule set`',
    '2:14 `runs-on` is not supported here: write `requires`, which selects agents by what they have, such as `requires: [linux]`',
  ]);
  const [step, ...others] = problems('jobs: { a: { steps: [{ uses: actions/cache, with: { key: x } }] } }');
  t.match(step, /^1:24 `uses` is not supported here: write `run`/);
  t.match(others, [/^1:45 `with` is not supported here: write `env`/], 'the missing `run` is not a problem of its own');
  t.match(
    problems(`jobs: { a: { on: x, ${steps} } }`),
    [/^1:14 `on` is not supported here.* \(supported: /],
    'elsewhere it is a typo',
  );
  t.match(problems('jobs: { a: { steps: [{ id: x }] } }'), [/`run` is missing/]);
  t.end();
});

t.test('a message can contain expressions, and the name of a signal and a form cannot', (t) => {
  const job = (member: string) => problems(`jobs:\n  a:\n    ${member}\n    wait_for_signal: go`);
  t.same(job('message: "Ship ${{ input.version }}?"'), []);
  t.match(job('message: "Ship ${{ vars.version }}?"'), [/there is no `vars\.version`/]);
  t.match(job('message: "Ship ${{ jobs.b.outputs.v }}?"'), [/`jobs\.b` is not in the `needs`/]);
  t.match(job('form: "a: string = ${{ input.a }}"'), [/`\$\{\{ \}\}` is not evaluated here/]);
  t.match(problems('jobs: { a: { wait_for_signal: "go-${{ input.a }}" } }'), [/`\$\{\{ \}\}` is not evaluated here/]);
  t.end();
});

t.test('a problem of form, of needs or of a rule hides no other problem', (t) => {
  const text = `on: push
vars: { channel: beta }
jobs:
  build:
    timeuot: 5m
    outputs: { version: "\${{ steps.v.output.version }}" }
    steps:
      - id: v
        run: 5
      - run: echo \${{ run.run_id + }}
        env: { A: "\${{ vars.chanel }}" }
  test:
    needs: [biuld]
    if: jobs.build.outputs.verion == "1"
    retry: { attempts: 500 }
    steps: [{ run: "echo \${{ matrix.x }}" }]
  ship:
    needs: [build]
    runs-on: linux
    timeout: 0s
    if: jobs.build.outputs.any == "1"
    steps: [{ run: "echo \${{ steps.none.status }}" }]
  odd: 5
  none: {}
`;
  t.same(
    problems(text).map((problem) => problem.replace(/^(\S+ .{0,32}).*/s, '$1')),
    [
      '1:1 `on` is not supported here: a pi',
      '5:5 `timeuot` is not supported here;',
      '9:14 `run` must be a string',
      '10:34 unexpected `+`',
      '11:23 there is no `vars.chanel`; did y',
      '13:13 there is no job `biuld`; did you',
      '15:24 `attempts` must be at most 100',
      '19:5 `runs-on` is not supported here:',
      '20:14 the time must be more than 0',
      '22:29 there is no `steps.none` before ',
      '23:8 `odd` must be an object',
      '24:3 the job does nothing: give it `s',
    ],
    'what a left-out member may define is not reported as missing',
  );
  t.match(problems('jobs: { "a b": { steps: [{ run: x }] }, c: { needs: "a b", timeout: 0s, steps: [{ run: x }] } }'), [
    /pattern/,
    /a b/,
    /more than 0/,
  ]);
  t.match(problems('jobs: 5'), [/must be an object/], 'nothing is left to check');
  t.end();
});

t.test('similar names are looked for as often as somebody reads them', async (t) => {
  const steps = 'steps: [{ run: x }]';
  const jobs = (wrong: (n: number) => string) =>
    Array.from({ length: 30 }, (_, n) => `  build-${n}: { ${wrong(n)}, ${steps} }\n`).join('');
  for (const [what, text] of Object.entries({
    needs: `jobs:\n${jobs((n) => `needs: [biuld-${n}]`)}`,
    members: `jobs:\n${jobs(() => 'timeuot: 5m')}`,
    jobs: `jobs:\n  first: { ${steps} }\n${jobs(() => 'needs: first, env: { A: "${{ jobs.frist.status }}" }')}`,
    vars: `vars: { first: 1 }\njobs:\n${jobs(() => 'env: { A: "${{ vars.frist }}" }')}`,
  })) {
    const found = problems(text);
    t.equal(found.length, 30, what);
    t.equal(
      found.filter((one) => one.includes('did you mean')).length,
      10,
      `${what}: the first ten say what was meant`,
    );
    t.match(found[0], /did you mean/);
  }
});

t.test('a megabyte is read in bounded work, or refused before it is read', async (t) => {
  const filled = (one: (n: number) => string) => {
    let text = '';
    for (let n = 0; text.length < 1_000_000; n++) text += one(n);
    return text;
  };
  // Each of these took the parser from three seconds to two minutes.
  for (const text of [
    filled((n) => `k${n}: 1\n`),
    filled((n) => `- &a${n} x\n- *a${n}\n`),
    filled(() => '""'),
    filled(() => '\tk: 1\n'),
    `jobs: {${filled((n) => `j${n}: {steps: [{run: x}]},`)}}`,
  ])
    t.match(problems(text), [/^1:1 the document has more than 250000 YAML tokens; split it/]);
  const keys = Array.from({ length: 20_000 }, (_, n) => `k${n}: 1\n`).join('');
  t.match(problems(keys)[0], /^1:1 `jobs` is missing/);
  t.same(problems(`jobs: {a: {steps: [{run: "${'x '.repeat(400_000)}"}]}}`), [], 'a program is one word');
});

t.test('lists and maps are no keys, and are refused before they are made texts', async (t) => {
  // A kilobyte of this held the parser for minutes.
  for (const text of [`${'? '.repeat(300)}`, `${'? ['.repeat(200)}${']'.repeat(200)}: 1`])
    t.match(problems(text)[0], /^1:\d+ a list or a map cannot be a key; write a string/);
  t.match(problems('a: &a [1]\n*a : 1')[0], /^2:1 a list or a map cannot be a key/);
  t.match(problems('{{x: 1}: 2}')[0], /^1:2 a list or a map cannot be a key/);
  t.same(problems('x-a: &a b\njobs: {*a : {steps: [{run: x}]}}'), [], 'an alias of a text is one');
});

t.test('keys that occur twice, anchors and control characters have their places', async (t) => {
  t.match(problems('jobs: {a: {steps: [{run: x}], steps: []}}'), [/^1:31 this key occurs twice/]);
  t.match(problems('a: 1\nb: {c: 1, "c": 2}\na: 3'), [/^2:11 .* twice/, /^3:1 .* twice/]);
  t.same(problems('x-a: &a {A: 1}\njobs: {a: {env: {<<: *a, B: 2}, steps: [{run: x}]}}'), [], 'not a merge');
  t.match(problems(`a: &a 1\nb: [${'*a,'.repeat(1001)}]`), [/^2:3005 its anchors expand to more than 1000 copies/]);
  t.match(problems('jobs: {a: {steps: [{run: "x\u0007"}]}}'), [
    /^1:28 YAML cannot contain the control character U\+0007/,
  ]);
  t.match(problems('jobs: {a: {env: {A: "a\\0b"}, steps: [{run: "x\\0"}]}}'), [/^1:21 .*NUL/, /^1:44 .*NUL/]);
});

t.test('wrong indentation is named as such', async (t) => {
  t.match(problems('jobs:\n  a:\n   steps:\n  - run: x\n'), [
    /^3:10 a list cannot start here; check its indentation$/,
    /^4:3 a key must be on one line; check the indentation and the quotes$/,
    /^4:3 a `:` is missing after the key; check the indentation as well$/,
  ]);
});

t.test('two files under spellings of one path are refused', async (t) => {
  const jobs = 'jobs: {a: {workflow: a.sh}}';
  t.match(problems(`files: {./a.sh: '1', a.sh: '2'}\n${jobs}`), [/^1:22 `a.sh` and `.\/a.sh` are the same path/]);
  t.same(problems(`files: {./a.sh: '1', a.sh: '1'}\n${jobs}`), []);
});

t.test('problems within texts of every style', async (t) => {
  const at = (text: string) => problems(`jobs:\n  a:\n    steps:\n${text}`)[0]?.split(' ')[0];
  t.equal(at('      - run: echo ${{ none }}'), '4:23');
  t.equal(at('      - run: "echo \\"x\\" ${{ none }}"'), '4:30');
  t.equal(at("      - run: 'it''s ${{ none }}'"), '4:25');
  t.equal(at('      - run: |\n          one\n          ${{ run.run_id }} ${{ none }}'), '6:33');
  t.equal(at('      - run: >-\n          folded\n          ${{ none }}'), '6:15');
  t.equal(at('      - { run: x, if: none }'), '4:23');
});

t.test('a thousand jobs', async (t) => {
  const job = (n: number) =>
    `  j${n}:\n    needs: [${n === 0 ? '' : `j${n - 1}`}]\n    env: { A: "\${{ vars.x }}" }\n    steps: [{ id: b, run: make }]\n`;
  const text = `vars: { x: 1 }\njobs:\n${Array.from({ length: 1000 }, (_, n) => job(n)).join('')}`;
  t.same(problems(text), []);
  const reader = new PipelineReader({ expressions: () => expressions, workers: () => kernel.use(DocumentWorkers) });
  const scope = { org_id: 'org_1', project_id: 'prj_1' };
  t.throws(() => reader.read(scope, text), { code: 'unavailable' }, 'a transaction does not wait for it');
  const [first, again] = [await reader.load(scope, text), reader.read(scope, text)];
  t.equal(first, again, 'it is read once');
});

t.test('names of other systems in expressions say what to write instead', (t) => {
  const of = (text: string) => problems(`jobs: {a: {env: {A: "\${{ ${text} }}"}, steps: [{run: x}]}}`);
  t.same(of('inputs.x'), [
    '1:26 unknown name `inputs`: declare `inputs:` at the top of the pipeline, or write `input`',
  ]);
  t.match(of('1 + needs.build.outputs.x'), [/^1:30 unknown name `needs`: write `jobs\.<id>/]);
  t.match(of('github.sha'), [/: write `input`/]);
  t.match(of('secrets.TOKEN'), [/: write `credentials: /]);
  t.match(of('event.payload'), [/: write `input`/]);
  t.match(of('job.a.status'), [/unknown name `job`: allowed: .*; did you mean `jobs`\?$/]);
  t.end();
});

t.test('members that a step, a job or the run does not have', (t) => {
  const of = (text: string) =>
    problems(
      `jobs:\n  a:\n    steps: [{ id: c, run: x }, { run: "echo ${text}" }]\n  b:\n    needs: [a]\n    outputs: { o: "\${{ jobs.a.outputs.x }}" }\n    steps: [{ run: x }]\n`,
    );
  t.same(of('${{ steps.c.output.file }} ${{ steps.c.status }} ${{ steps.c.exit_code }} ${{ run.run_id }}'), []);
  t.same(of("${{ has(steps.c.outputs) }} ${{ 'steps.c.outputs' }}"), [], 'only asked for, and a text');
  t.same(of('${{ 1 + steps.c.outputs.file }}'), [
    '3:53 there is no `steps.c.outputs`; a step has output, status, exit_code; did you mean `output`?',
  ]);
  t.same(of("${{ steps['c']['exit'] }}"), ['3:49 there is no `steps.c.exit`; a step has output, status, exit_code']);
  t.same(of('${{ run.x }}'), ['3:49 there is no `run.x`; the run has id, run_id, subject, trigger']);
  const job = (text: string, matrix = '') =>
    problems(
      `jobs:\n  a: { steps: [{ run: x }]${matrix} }\n  b:\n    needs: [a]\n    if: ${text}\n    steps: [{ run: x }]\n`,
    );
  t.same(job("jobs.a.status == 'x' && jobs.a.error == null && jobs.a.outputs.b == 1"), []);
  t.same(job('jobs.a.output.x == 1'), [
    '5:9 there is no `jobs.a.output`; a job has outputs, status, error; did you mean `outputs`?',
  ]);
  const declared = (text: string) =>
    problems(
      `jobs:\n  a: { steps: [{ run: x }], outputs: { version: '1' } }\n  b:\n    needs: [a]\n    if: ${text}\n    steps: [{ run: x }]\n`,
    );
  t.same(declared('jobs.a.outputs.version == 1 && jobs.a.outputs.elephant == 2'), []);
  t.same(declared('true && jobs.a.outputs.verion == 1'), [
    '5:17 the job `a` declares no output `verion`; did you mean `version`?',
  ]);
  t.same(job('jobs.a.all[0].x == 1'), ['5:9 there is no `jobs.a.all`; a job has outputs, status, error']);
  t.same(job('jobs.a.all[0].x == 1', ', strategy: { matrix: { os: [a] } }'), []);
  t.end();
});
