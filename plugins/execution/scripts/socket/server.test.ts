import { execFileSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { MAX_MESSAGE_LENGTH } from '../../../engine/runs/contract.ts';
import { MAX_LINE_BYTES } from './connection.ts';
import { errors, type Message, open } from './testing/client.ts';

const verb = (...argv: string[]): Message => ({ id: 1, op: 'verb', argv, cwd: '/' });

t.test('hello', async (t) => {
  const { client, path } = await open(t);
  t.equal((await stat(path)).mode & 0o777, 0o600);
  t.same(await client().ask({ id: 0, op: 'hello', protocol: 1 }), { id: 0, ok: true, protocol: 1 });
  t.same(await client().ask({ id: 0, op: 'hello', protocol: 2 }), { id: 0, ok: true, protocol: 2 });
  const ahead = { run: 'run_1', activity: 'act_1', limit: 2097152, masks: false };
  t.same(await client().ask({ id: 0, op: 'hello', protocol: 9 }), { id: 0, ok: true, protocol: 4, ahead });
  t.match(await client().ask(verb('step')), {
    id: 1,
    error: { code: 'socket_request_invalid', message: /first request/ },
  });
});

t.test('a step, in pieces of one byte, and its replay', async (t) => {
  const { client, activity } = await open(t);
  const first = client();
  const text = `${JSON.stringify({ id: 0, op: 'hello', protocol: 2 })}\n${JSON.stringify(verb('step', 'ä', '--', 'make', 'all'))}\n`;
  for (const byte of Buffer.from(text)) first.socket.write(Buffer.of(byte));
  t.match(await first.next(), { ok: true });
  t.match(await first.next(), { id: 1, exec: ['make', 'all'], key: /^[0-9a-f]{64}$/, limit: 2097152, log: '1:2 1:3' });
  t.same(await first.ask({ id: 1, op: 'result', exit: 4, stdout: 'aGkA', size: 3 }), { id: 1, exit: 4 });
  t.equal(activity.output(0), 'hi\0');

  const replay = await open(t, activity);
  const second = await replay.client().hello();
  t.same(await second.ask(verb('step', 'ä', '--', 'make', 'all')), {
    id: 1,
    exit: 4,
    stdout: 'aGkA',
    log: '1:2 1:3',
    replayed: true,
  });
});

t.test('malformed lines are answered, and the connection serves on', async (t) => {
  const { client } = await open(t);
  const one = await client().hello();
  for (const line of [
    '',
    'x',
    '[]',
    'null',
    '{"id":1}',
    '{"id":-1,"op":"verb"}',
    '{"id":1,"op":"verb","argv":"step","cwd":"/"}',
    '{"id":1,"op":"verb","argv":[1],"cwd":"/"}',
    '{"id":1,"op":"verb","argv":["a\\u0000b"],"cwd":"/"}',
    '{"id":1,"op":"verb","argv":[]}',
    '{"id":1,"op":"hello","protocol":0}',
    '{"id":1,"op":"result","exit":256,"stdout":"","size":0}',
    '{"id":1,"op":"result","exit":0,"stdout":"","size":0}',
    '{"id":1,"op":"end","exit":0,"stdout":"not base64"}',
    '{"id":1,"op":"begin","kind":"sleep","name":"x"}',
    '{"id":1,"op":"call","verb":"nothing","args":[]}',
    '\u00ff\u0000',
  ])
    t.hasProps(await one.ask(line), ['id', 'error'], line);
  t.same(await one.ask(verb('anything', '--at', 'all')), { id: 1, handoff: true });
  t.same(await one.ask(verb()), { id: 1, handoff: true });
  t.match(await one.ask(verb('sleep')), { exit: 2, stderr: /<duration> is missing\nusage: svc sleep <duration>/ });
});

t.test('a line without an end is cut off', async (t) => {
  const { client } = await open(t);
  const endless = client();
  const chunk = Buffer.alloc(1 << 20, 'x');
  for (let sent = 0; sent <= MAX_LINE_BYTES; sent += chunk.length) endless.socket.write(chunk);
  t.match(await endless.next(), { id: 0, error: { code: 'socket_request_invalid' } });
  await endless.closed;
});

t.test('of long lines that are not whole the agent reads a few at a time', async (t) => {
  const { client } = await open(t);
  const beginning = Buffer.alloc(8 << 20, 'x');
  let [begun, most] = [0, 0];
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      const one = client();
      await new Promise((read) => one.socket.write(beginning, read));
      begun += 1;
      most = Math.max(most, begun);
      // Meanwhile others are served, and more lines could be read.
      for (let n = 0; n < 20; n++) await client().hello();
      begun -= 1;
      t.match(await one.ask(''), { id: 0, error: { code: 'socket_request_invalid' } }, 'each of them in its turn');
    }),
  );
  t.ok(most <= 4, `${most} lines were in memory`);
});

t.test('what calls bring that wait behind a step is bounded, and the step is not held up', async (t) => {
  const { client, activity } = await open(t);
  const step = await client().hello();
  t.match(await step.ask(verb('step', 'long', '--', 'x')), { exec: ['x'] });
  const data = Buffer.alloc(1 << 20, 'x').toString('base64');
  let asked = 0;
  const full = Promise.withResolvers<void>();
  const calls = Array.from({ length: 140 }, async (_, nth) => {
    const one = await client().hello();
    t.match(await one.ask(verb('state', 'set', `k${nth}`, '-')), { stdin: 1 << 20 });
    asked += 1;
    if (asked === 128) full.resolve();
    return one.ask({ id: 1, op: 'stdin', data, size: 1 << 20 });
  });
  await full.promise;
  await client().hello();
  t.equal(asked, 128, 'no more than 128 MiB are held');
  const stdout = Buffer.alloc(1 << 20, 'y').toString('base64');
  t.match(await step.ask({ id: 1, op: 'result', exit: 0, stdout, size: 1 << 20 }), { exit: 0 });
  for (const answer of await Promise.all(calls)) t.match(answer, { exit: 0 });
  t.equal(activity.cells.size, 140);
});

t.test('a second request at the same time is refused, and the first one goes on', async (t) => {
  const { client } = await open(t);
  const one = await client().hello();
  t.match(await one.ask(verb('step', 'a', '--', 'x')), { exec: ['x'] });
  t.match(await one.ask({ ...verb('step', 'b', '--', 'x'), id: 2 }), {
    id: 2,
    error: { message: /one request at a time/ },
  });
  t.match(await one.ask({ id: 1, op: 'result', exit: 0, stdout: '', size: 0 }), { id: 1, exit: 0 });
});

t.test('standard input is asked for, and bounded', async (t) => {
  const { client, activity } = await open(t);
  const one = await client().hello();
  t.match(await one.ask(verb('annotate', '-')), { id: 1, stdin: 65535 });
  t.match(await one.ask({ id: 1, op: 'stdin', data: 'IyBI', size: 3 }), { exit: 0 });
  t.same(activity.notes, ['# H']);
  await one.ask(verb('annotate', '-'));
  t.match(await one.ask({ id: 1, op: 'stdin', data: 'IyBI', size: 65536 }), {
    exit: 1,
    stderr: /more than 65535 bytes/,
  });
});

t.test('values may begin with a dash where an option cannot be meant', async (t) => {
  const { client, activity } = await open(t);
  const one = await client().hello();
  t.match(await one.ask(verb('state', 'set', 'n', '-5')), { exit: 0 });
  t.equal(activity.cells.get('/n'), '-5');
  t.match(await one.ask(verb('annotate', '- one\n- two')), { exit: 0 });
  t.same(activity.notes, ['- one\n- two']);
  t.match(await one.ask(verb('sleep', '-5s')), { exit: 2, stderr: /"-5s" is not a duration/ });
  t.match(await one.ask(verb('state', 'set', 'n', '-x')), {
    exit: 2,
    stderr: /Unknown option '-x'; put arguments that start with a dash after --\n/,
  });
  t.match(await one.ask(verb('emit', 'a.b', '--paylaod', '1')), {
    exit: 2,
    stderr: /^svc emit: Unknown option '--paylaod'; did you mean --payload\?\nusage: /,
  });
  t.match(await one.ask(verb('emit', 'a.b', '--payload', '-x')), {
    exit: 2,
    stderr: /^svc emit: Option '--payload' argument is ambiguous: write --option=value .*\nusage: /,
  });
});

t.test('a caller that runs no commands is told so at the place where it asked for one', async (t) => {
  const { client, activity } = await open(t);
  const sdk = await client().hello();
  const call = (verb: string, ...args: string[]) => sdk.ask({ id: 1, op: 'call', verb, args });
  const refused = { exit: 2, kind: 'step', message: /^it would run a command, but this call does not permit that/ };
  t.match(await call('step', 'x', '--', 'true'), refused);
  t.match(await call('state', 'set', 'k', 'v'), { exit: 0 });
  t.same(activity.sites(), ['step x#0=2', 'state set k#0=0']);
});

t.test('a file is read by the agent: a regular one that it can see', async (t) => {
  const { client, activity } = await open(t);
  const one = await client().hello();
  const fifo = join(t.testdir({ child: '' }), 'fifo');
  execFileSync('mkfifo', [fifo]);
  const cases: [string, RegExp][] = [
    [fifo, /not a regular file; pass - and redirect/],
    ['/dev/zero', /not a regular file/],
    ['/dev/stdin', /only the caller can open it/],
    ['/dev/fd/63', /only the caller can open it/],
    ['/proc/self/fd/0', /only the caller can open it/],
    ['/tmp', /it is a folder/],
    ['/absent', /there is no such file/],
  ];
  for (const [file, said] of cases) {
    t.match(await one.ask(verb('spawn', file)), { exit: 2, stderr: said }, file);
    t.match(await one.ask(verb('emit', 'a.b', '--payload', `@${file}`)), { exit: 2, stderr: said }, file);
  }
  t.equal(activity.journal.length, cases.length * 2, 'each is the outcome of its place');
});

t.test('protocol 1 has no timeouts on waits', async (t) => {
  const { client, ends, activity } = await open(t);
  const old = await client().hello(1);
  t.match(await old.ask(verb('wait-signal', 'go', '--timeout', '5s')), { exit: 2, stderr: /needs protocol 2/ });
  t.match(await old.ask(verb('wait-event', 'go', '--timeout', '5s')), { exit: 2, stderr: /needs protocol 2/ });
  t.match(await old.ask(verb('lock', 'go', '--timeout', '5s')), { exit: 2, stderr: /needs protocol 2/ });
  t.same(activity.armed, undefined);
  t.match(await old.ask(verb('wait-signal', 'go')), { id: 1, gone: true });
  t.same(ends, [{ end: 'parked' }]);
});

t.test('SDKs begin and end steps, and call the other verbs', async (t) => {
  const { client, activity } = await open(t);
  const sdk = await client().hello();
  const begun = await sdk.ask({ id: 5, op: 'begin', kind: 'step', name: 'build', label: 'Build' });
  t.match(begun, { id: 5, run: true, key: /^[0-9a-f]{64}$/, position: 0, site: 'build#0' });
  t.match(await sdk.ask({ id: 6, op: 'begin', kind: 'step', name: 'inner' }), {
    id: 6,
    error: { code: 'step_in_progress' },
  });
  const ended = await sdk.ask({ id: 7, op: 'end', exit: 0, stdout: 'b2s=' });
  t.match(ended, { id: 7, record: { position: 0, name: 'build', label: 'Build', output: 'b2s=' }, replayed: false });
  t.match(await sdk.ask({ id: 8, op: 'begin', kind: 'step', name: '' }), { id: 8, error: { code: 'verb_usage' } });
  t.match(await sdk.ask({ id: 9, op: 'call', verb: 'state', args: ['set', 'k', '-'], stdin: 'dg==' }), {
    id: 9,
    exit: 0,
  });
  t.same(activity.cells.get('/k'), 'v');
  t.match(await sdk.ask({ id: 9, op: 'call', verb: 'step', args: ['x', '--', 'y'] }), { exit: 2, stderr: /"exec"/ });

  const replay = await (await open(t, activity)).client().hello();
  t.match(await replay.ask({ id: 1, op: 'begin', kind: 'step', name: 'build' }), {
    replayed: true,
    record: { output: 'b2s=' },
  });
});

t.test('an SDK that says so runs the command of a verb; why it failed is told on replay too', async (t) => {
  const { client, activity } = await open(t);
  const call = { id: 3, op: 'call', verb: 'step', args: ['x', '--', 'no-such'], exec: true };
  const error = 'no-such: command not found';
  const sdk = await client().hello();
  t.match(await sdk.ask(call), { id: 3, exec: ['no-such'], key: /^[0-9a-f]{64}$/, limit: 2097152 });
  t.match(await sdk.ask({ id: 3, op: 'result', exit: 127, stdout: '', size: 0, error }), {
    id: 3,
    exit: 127,
    stderr: `svc: ${error}\n`,
    message: error,
  });
  const replay = await (await open(t, activity)).client().hello();
  t.same(await replay.ask(call), { id: 3, exit: 127, stdout: '', kind: 'step', message: error, replayed: true });
});

t.test('what a function answers is refused by how much it is over, and mended where it is no text', async (t) => {
  const { client } = await open(t);
  const sdk = await client().hello();
  await sdk.ask({ id: 1, op: 'begin', kind: 'step', name: 'big' });
  const stdout = Buffer.alloc(2097153).toString('base64');
  t.match(await sdk.ask({ id: 2, op: 'end', exit: 0, stdout, size: 2097162 }), {
    record: { exit_code: 1, output: '', message: /is 10 bytes over the limit of 2 MiB/ },
  });
  await sdk.ask({ id: 3, op: 'begin', kind: 'step', name: 'half' });
  t.match(await sdk.ask({ id: 4, op: 'end', exit: 1, stdout: '', error: `${'x'.repeat(MAX_MESSAGE_LENGTH - 1)}😀` }), {
    record: { message: `${'x'.repeat(MAX_MESSAGE_LENGTH - 1)}\ufffd` },
  });
  t.match(await sdk.ask({ id: 5, op: 'begin', kind: 'step', name: '\ud800' }), {
    error: { message: /unpaired surrogates/ },
  });
});

t.test('a verb with a fault answers, and its error stays in the log', async (t) => {
  const { client } = await open(t);
  const reply = await (await client().hello()).ask(verb('broken'));
  t.match(reply, { exit: 1, stderr: /its log contains the cause/ });
  t.notMatch(JSON.stringify(reply), /secret detail/);
  t.same(errors, ['a verb failed']);
});

t.test('200 callers at once', async (t) => {
  const { client, activity } = await open(t);
  await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const one = await client().hello();
      await one.ask(verb('step', `s${n}`, '--', 'x'));
      t.match(await one.ask({ id: 1, op: 'result', exit: 0, stdout: '', size: 0 }), { exit: 0 });
    }),
  );
  t.equal(activity.journal.length, 200);
});
