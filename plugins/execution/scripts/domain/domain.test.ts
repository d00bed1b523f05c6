import t from 'tap';
import { verbUsage } from '../../replay/contract.ts';
import { MAX_STEP_OUTPUT_BYTES } from '../../../engine/runs/contract.ts';
import { checkStepName, commandOutcome } from '../contract.ts';
import { agentPath, findEnvironmentProblem, recordedVars, scriptEnvironment, triggerVariables } from './environment.ts';
import { Tail } from './failure-text.ts';
import { chooseInterpreter, findProgram } from './interpreter.ts';
import { LineSplitter } from './lines.ts';
import { scriptSpec } from '../contract.ts';
import { passInput, findJob, readSpec, sourceFileName } from './script-spec.ts';

t.test('the interpreter: --interpreter, extension, bash', async (t) => {
  const cases: [string | undefined, string | undefined, string][] = [
    ['a.py', undefined, 'python3'],
    ['dir/a.PY', undefined, 'python3'],
    ['a.ts', undefined, 'node'],
    ['a.js', undefined, 'node'],
    ['a.mjs', undefined, 'node'],
    ['a.go', undefined, 'go run'],
    ['a.sh', undefined, 'bash -eu'],
    ['a.rb', undefined, 'bash -eu'],
    ['Makefile', undefined, 'bash -eu'],
    ['.py', undefined, 'bash -eu'],
    ['dir.py/a', undefined, 'bash -eu'],
    [undefined, undefined, 'bash -eu'],
    ['a.py', 'ruby  -w ', 'ruby -w'],
    ['a.py', ' ', 'python3'],
  ];
  for (const [filename, interpreter, argv] of cases)
    t.equal(chooseInterpreter(filename, interpreter).argv.join(' '), argv, `${filename} ${interpreter}`);
  t.equal(await findProgram('sh', '/nowhere:/bin', '/'), '/bin/sh');
  t.equal(await findProgram('./sh', '', '/bin'), '/bin/sh');
  t.equal(await findProgram('bin', '/', '/'), undefined, 'a folder is no program');
  t.equal(await findProgram('passwd', '/etc', '/'), undefined, 'nor is a file that may not be run');
});

t.test('CI_TRIGGER_* are exactly the scalar fields that have a flat form', (t) => {
  t.same(triggerVariables({ type: 'manual', input: { sha: 'x' }, key: 'k' }), { CI_TRIGGER_EVENT: 'manual' });
  t.same(
    triggerVariables({
      type: 'push',
      event: 'evt_1',
      sha: 'abcdef0123',
      ref: 'refs/heads/main',
      repo: 'a/b',
      sender: 'ann',
      forge: 'forge_a',
      schedule: 7,
      parent: null,
      paths: ['x'],
      payload: { ref: 'y' },
      other: 'z',
    }),
    {
      CI_TRIGGER_EVENT: 'push',
      CI_TRIGGER_EVENT_ID: 'evt_1',
      CI_TRIGGER_SHA: 'abcdef0123',
      CI_TRIGGER_SHORT_SHA: 'abcdef0',
      CI_TRIGGER_REF: 'refs/heads/main',
      CI_TRIGGER_REPO: 'a/b',
      CI_TRIGGER_SENDER: 'ann',
      CI_TRIGGER_FORGE: 'forge_a',
      CI_TRIGGER_SCHEDULE: '7',
    },
  );
  t.same(triggerVariables({ type: 'a\0b', short_sha: 'given', sha: 'abcdefghi', ref: { x: 1 } }), {
    CI_TRIGGER_SHA: 'abcdefghi',
    CI_TRIGGER_SHORT_SHA: 'given',
  });
  t.end();
});

t.test('the environment: layers, and what nobody shadows', (t) => {
  const env = scriptEnvironment(
    {
      run_id: 'run_1',
      activity_id: 'act_1',
      envelope: { type: 'manual' },
      environment: {
        below: [{ name: 'HOME', value: 'below', secret: false }],
        workflow: { CI_TRIGGER_EVENT: 'shadowed', __proto__X: 'y', SVC_X: 'no' },
        above: [{ name: 'SVC_AGENT_SOCKET', value: 'no', secret: false }],
      },
    },
    { HOME: '/h', LC_TIME: 'C', LCX: 'no', EDITOR: 'no', PATH: '' },
    { socket: '/s', input_file: '/i', client_folder: '/c', agent: { id: 'agt', pid: 9 } },
  );
  t.same(env, {
    HOME: 'below',
    LC_TIME: 'C',
    CI_TRIGGER_EVENT: 'shadowed',
    __proto__X: 'y',
    PATH: `/c:${agentPath({})}`,
    SVC_AGENT_SOCKET: '/s',
    SVC_AGENT_PID: '9',
    SVC_AGENT_ID: 'agt',
    SVC_WORKFLOW_ID: 'run_1',
    SVC_ACTIVITY_ID: 'act_1',
    SVC_INPUT_FILE: '/i',
  });
  t.equal(findEnvironmentProblem(env), undefined);
  t.match(findEnvironmentProblem({ 'A=B': '' }), /"A=B"/);
  t.notMatch(findEnvironmentProblem({ A: 'hush\0' }), /hush/);
  t.end();
});

t.test('the recorded variables: only those of the project and its org, whatever overrides them', (t) => {
  const REGION = { name: 'REGION', value: 'eu', secret: false, in_vars: true } as const;
  const below = [
    REGION,
    { ...REGION, name: '__proto__', value: 'own' },
    { name: 'STARTER', value: 'of a plugin', secret: false },
    { name: 'REGION', value: 'of a secret', secret: true },
  ];
  const recorded = recordedVars({ environment: { below, workflow: { REGION: 'of env' }, above: [] } });
  t.same(Object.entries(recorded ?? {}), [
    ['REGION', 'eu'],
    ['__proto__', 'own'],
  ]);
  t.equal(recordedVars({ environment: { below: below.slice(2), workflow: {}, above: [] } }), undefined);
  t.end();
});

t.test('the spec, and the name of the file', (t) => {
  const spec = { filename: 'a.sh', source: 'true', interpreter: undefined };
  t.same(readSpec(JSON.parse(JSON.stringify(scriptSpec(spec)))), { ...spec, captures: false });
  const job = { ...spec, job: 'ship[1]', with: { version: '1.2' } };
  t.same(readSpec(JSON.parse(JSON.stringify(scriptSpec(job)))), { ...job, captures: false });
  t.same(passInput(job, { type: 'push', sha: 'abc', input: 1 }), {
    type: 'push',
    sha: 'abc',
    input: 1,
    with: job.with,
  });
  t.same(passInput({}, { type: 'manual', input: 1 }), { type: 'manual', input: 1 });
  t.same([scriptSpec(job), scriptSpec(spec), null, { job: 1 }].map(findJob), [
    'ship[1]',
    undefined,
    undefined,
    undefined,
  ]);
  for (const wrong of [null, [], 'x', {}, { source: 1 }, { source: '', filename: 3 }, { source: '', job: 3 }])
    t.throws(() => readSpec(wrong as never), { code: 'script_not_started' });
  t.equal(sourceFileName('../../etc/job.sh'), 'job.sh');
  t.equal(sourceFileName('a\\b\\c.py'), 'c.py');
  for (const odd of [undefined, '', '/', '..', 'a/..', '\0']) t.equal(sourceFileName(odd), 'script');
  t.equal(sourceFileName(`${'ä'.repeat(200)}.py`), 'script.py');
  t.end();
});

t.test('lines, however the stream is cut', (t) => {
  const whole = Buffer.from('one\n\nzwei ä\nlast');
  for (let size = 1; size <= whole.length; size++) {
    const lines = new LineSplitter(16);
    const read: string[] = [];
    for (let at = 0; at < whole.length; at += size) read.push(...lines.add(whole.subarray(at, at + size)));
    t.same(read, ['one', '', 'zwei ä'], `${size} bytes at a time`);
  }
  t.same(new LineSplitter(3).add(Buffer.from('abc\n')), ['abc']);
  t.throws(() => new LineSplitter(3).add(Buffer.from('abcd')), { code: 'socket_request_invalid' });
  t.end();
});

t.test('the end of stderr is bounded', (t) => {
  const tail = new Tail();
  for (let n = 0; n < 50_000; n++) tail.add(Buffer.from(`line ${n} 😀\n`));
  const text = tail.text();
  t.equal([...text].length, 4000);
  t.ok(text.endsWith('line 49999 😀'));
  const nul = new Tail();
  nul.add(Buffer.from('a\0b\n'));
  t.equal(nul.text(), 'ab');
  t.end();
});

t.test('names and outcomes of steps', (t) => {
  for (const fine of ['a', 'build the thing', 'ünï', '#', 'a#b', 'a#2b', '--x', 'x'.repeat(200)])
    t.equal(checkStepName(fine), fine);
  for (const wrong of ['', 'a\nb', 'a#2', 'x'.repeat(201)])
    t.throws(() => checkStepName(wrong), { code: verbUsage.code }, JSON.stringify(wrong));
  const exact = { exit_code: 3, stdout: Buffer.alloc(MAX_STEP_OUTPUT_BYTES), size: MAX_STEP_OUTPUT_BYTES };
  t.equal(commandOutcome('step s#0', exact).exit_code, 3);
  const over = commandOutcome('step s#0', { ...exact, size: MAX_STEP_OUTPUT_BYTES + 1 });
  t.match(over, { exit_code: 1, message: /s#0 is 1 byte over the limit of 2 MiB/ });
  t.equal(over.output.length, 0);
  t.end();
});
