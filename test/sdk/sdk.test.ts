import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openBench } from '../../plugins/execution/scripts/executor/testing/host.ts';
import { Activity, createIds, Refusals, systemClock as clock } from '../kit/index.ts';
import { needs } from '../kit/needs.ts';

const ids = createIds(clock);

/** Runs a program of `programs/` as a script until it is done; waits end with `{"n":1}`, the late one with its time. */
async function run(t: Test, filename: string): Promise<Activity & { end?: unknown }> {
  const bench = await openBench({ clock, ids });
  t.teardown(() => bench.close());
  const source = await readFile(join(import.meta.dirname, 'programs', filename), 'utf8');
  const activity: Activity & { end?: unknown } = new Activity();
  activity.denies = ({ name }) =>
    name.endsWith('refused') || name === 'list refused/' ? Refusals.refused('not you') : undefined;
  const script = { source, filename, envelope: { type: 'manual', input: { a: 'ü' } } };
  const end = await bench.finish(activity, script, ({ kind, name }) => {
    if (kind === 'sleep') activity.wake();
    else if (name === 'late') activity.wake(124);
    else activity.wake(0, '{"n":1}\n');
  });
  activity.end = end.end === 'completed' ? end.completion : end;
  t.equal(activity.text('stderr'), '', `${filename} complains of nothing`);
  return activity;
}

const outputs = ({ journal }: Activity) => journal.map(({ output }) => output);
const lines = (activity: Activity) => activity.text().trimEnd().split('\n');

/** What each pass printed; every one begins with a line `pass`. */
const passes = (activity: Activity) =>
  activity
    .text()
    .split('pass\n')
    .slice(1)
    .map((text) => text.trimEnd().split('\n'));

t.test(
  'what a step answers is what it recorded, byte by byte the same from both languages',
  needs('python3'),
  async (t) => {
    const [ts, py] = [await run(t, 'values.ts'), await run(t, 'values.py')];
    t.same(ts.journal.map((_, position) => ts.output(position)).slice(0, -1), [
      'hello\n',
      '\n',
      '"5"\n',
      '" -7e2 "\n',
      '"true"\n',
      '"null"\n',
      '"{\\"a\\":1}"\n',
      '"\\"quoted\\""\n',
      '[draft] title\n',
      'NaN\n',
      '01\n',
      'two\nlines\n\n',
      'é😀\n',
      'a\0b\n',
      '\ufeffmark\n',
      '"\\ud800"\n',
      '',
      '0\n',
      '-1.5\n',
      'true\n',
      '[]\n',
      '{"b":[1,null,{"c":"ü"}]}\n',
      '{"half":"\\udc00"}\n',
    ]);
    t.same(outputs(py), outputs(ts));
    t.same(py.sites(), ts.sites());
    for (const activity of [ts, py]) {
      const [first, second] = passes(activity);
      t.same(second, first, 'a replay answers the same');
      t.same(first!.length, 23);
    }
    t.same(
      passes(py)[0]!.map((line) => JSON.parse(line)),
      passes(ts)[0]!.map((line) => JSON.parse(line)),
    );
  },
);

const OVER =
  'of 2 MiB (2097152 bytes), so it is not recorded and the step counts as failed with exit code 1; write large data to a file and print its name';
const failed = (exit: number, name: string, why: string) => ['step_failed', exit, `step "${name}" failed${why}`];

/** What both languages print; `E` stands for the name of the plainest error, `call` for that of a call. */
const failures = (language: { error: string; coded: string; json: string; call: string }) => [
  failed(1, 'plain', `: ${language.error}: it broke`),
  failed(7, 'coded', `: ${language.coded}: seven`),
  failed(1, 'unclean', `: ${language.error}: nul \ufffd here`),
  failed(1, 'no-json', `: TypeError: ${language.json}`),
  failed(
    1,
    'nested',
    `: SvcError: ${language.call} was called inside the step "nested", where nothing can be recorded`,
  ),
  2097151,
  failed(1, 'over', `: the output of step over#0 is 1 byte over the limit ${OVER}`),
  failed(9, 'command', ' with exit code 9'),
  failed(127, 'unknown', ': no-such-program: command not found'),
  failed(127, 'unreachable', ': /no/such/program: No such file or directory'),
  failed(126, 'forbidden', ': /etc/passwd: Permission denied'),
  failed(143, 'signalled', ' with exit code 143'),
  failed(1, 'flood', `: the output of step flood#0 is 10 bytes over the limit ${OVER}`),
  2097152,
  ['6100ff62', 'a\0\ufffdb'],
  ['usage', null, 'the name of a step must be a non-empty string'],
  ['verb_usage', null, 'the name of a step must not end with # and a number: "x#1"'],
  ['socket_request_invalid', null, 'name must be a string without NUL or unpaired surrogates'],
  ['verb_usage', null, 'the name of a step must not contain control characters such as line breaks'],
  ['duration_invalid', null, '"soon" is not a duration; write one like 500ms, 5s, 1m, 2h, 30d or 1h30m'],
  ['usage', null, "an idempotency key exists only inside a step's function"],
  null,
  ['step_failed', 1, 'state get failed: refused_in_test: not you\nAsk for something else.'],
  ['step_failed', 1, 'state list failed: refused_in_test: not you\nAsk for something else.'],
];

for (const [filename, language] of Object.entries({
  'failures.ts': { error: 'Error', coded: 'Error', json: 'no JSON', call: 'state' },
  'failures.py': {
    error: 'Exception',
    coded: 'Coded',
    json: 'Object of type set is not JSON serializable',
    call: 'state.get',
  },
}))
  t.test(
    `failures are recorded, and raised again on replay: ${filename}`,
    filename.endsWith('.py') ? needs('python3') : {},
    async (t) => {
      const activity = await run(t, filename);
      const [first, second] = passes(activity);
      const expected = failures(language);
      t.same(
        first!.map((line) => JSON.parse(line)),
        expected,
      );
      t.same(second, first);
      t.equal(activity.journal.length, 19, 'what was called wrongly took no position');
      t.equal(activity.output(7), 'some\n');
      t.equal(Buffer.from(activity.journal[14]!.output, 'base64').toString('latin1'), 'a\0\u00ffb');
    },
  );

t.test(
  'every call, over four passes, with the same record and the same log from both languages',
  needs('python3'),
  async (t) => {
    const [ts, py] = [await run(t, 'everything.ts'), await run(t, 'everything.py')];
    t.same(ts.end, { status: 'succeeded', output: { text: 'x', number: 5, list: [true, null], 'odd:': 1 } });
    t.same(ts.notes, ['# A note']);
    t.equal(ts.passes, 4);
    t.same(ts.sites(), [
      'step environment#0=0',
      'step command#0=0',
      'step echoed#0=0',
      'wait-signal go#0=0',
      'wait-signal late#0=124',
      'state set text#0=0',
      'state set json#0=0',
      'state set repo/shared#0=0',
      'state get text#0=0',
      'state get json#0=0',
      'state get json#1=0',
      'state get none#0=1',
      'state get repo/shared#0=0',
      'state delete text#0=0',
      'state list#0=0',
      'sleep #0=0',
    ]);
    t.equal(ts.journal[1]!.label, 'A command');
    const key = ts.output(1).slice(20, 23);
    t.match(key, /^[0-9a-f]{3}$/);
    const before = [
      '{"site":"environment#0","own":["SVC_IDEMPOTENCY_KEY"],"keys":64,"refused":1} true',
      `SVC_IDEMPOTENCY_KEY=${key}`,
      '/usr',
      'more',
      'given',
    ];
    const after = [
      '{"n":1}',
      'true WaitTimeoutError: the wait for the signal "late" did not end within 2h',
      '5 {"list":[1,"ü"]} {"list":[1,"ü"]}',
      '[null,"x"]',
      '["/json","repo/shared"]',
    ];
    const end = [
      'slept',
      'finally',
      'manual {"a":"ü"}',
      'socket_request_invalid true',
      '0 usage: svc sleep <duration>',
    ];
    t.same(passes(ts), [
      [...before, 'shown once'],
      [...before, '{"n":1}'],
      [...before, ...after],
      [...before, ...after, ...end],
    ]);
    t.same([py.end, py.notes, py.sites(), py.text()], [ts.end, ts.notes, ts.sites(), ts.text()]);
    t.same(outputs(py), outputs(ts));
  },
);

t.test('calls made at the same time are made one after the other, in the order in which they were made', async (t) => {
  const activity = await run(t, 'together.ts');
  t.same(activity.sites(), [
    'step slow 1#0=0',
    'step fast 1#0=0',
    'state set k#0=0',
    'state get k#0=0',
    'step slow 2#0=0',
    'step fast 2#0=0',
    'step outer#0=1',
    'step leaves work behind#0=0',
    'step after it#0=0',
  ]);
  t.same(lines(activity), [
    '["slow!","fast!",null,"v"]',
    'step "outer" failed: SvcError: step was called inside the step "outer", where nothing can be recorded',
    'late',
  ]);
});

t.test('Python: threads, a forked child, and a step that is interrupted', needs('python3'), async (t) => {
  const activity = await run(t, 'together.py');
  const threads = Array.from({ length: 8 }, (_, n) => `t${n}`);
  const expected = `{${threads.map((name) => `"${name}": "${name}${name}"`).join(', ')}}`;
  t.same(lines(activity), [expected, 'child', 'parent', 'stopped', 'on']);
  t.same(
    activity.sites().slice(0, 8).sort(),
    threads.map((name) => `step ${name}#0=0`),
  );
  t.same(activity.sites().slice(8), [
    'step of the child#0=0',
    'step of the parent#0=0',
    'step interrupted#0=137',
    'step goes on#0=0',
  ]);
});

t.test('Python: asyncio', needs('python3'), async (t) => {
  const activity = await run(t, 'together-aio.py');
  t.same(activity.end, { status: 'succeeded', output: { done: true } });
  t.same(activity.sites(), [
    'step slow#0=0',
    'step plain#0=0',
    'step command#0=0',
    'step fed#0=0',
    'step cancelled#0=1',
    'step killed#0=137',
    'step nested#0=1',
    'step running#0=0',
    'state set k#0=0',
    'state get k#0=0',
    'state list#0=0',
    'wait-signal go#0=0',
    'wait-signal late#0=124',
  ]);
  const text = activity.text();
  t.match(text, /^\["s", "p", "c"\]\nin\ntimed out\ntimed out\nstep "nested" failed: .*\nrefused usage\nr\n/);
  t.match(text, /step "cancelled" failed: CancelledError\n/, 'on replay the record says how it ended');
  t.notMatch(text, /swallowed/, 'nobody can give up a wait that has parked the run');
  t.equal(text.match(/after the wait/g)?.length, 2);
  t.match(text, /the wait for the signal "late" did not end within 2h\n$/);
});
