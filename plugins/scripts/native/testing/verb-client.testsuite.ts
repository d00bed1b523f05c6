import { chmodSync, closeSync, fstatSync, mkdirSync, openSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type Handler, type Message, privateFolder, type Ran, type RunOptions, run, type TestAgent, testAgent } from './test-agent.ts';

const MIB = 1024 * 1024;
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const command = (message: Message) => message['argv'].slice(message['argv'].indexOf('--') + 1);

/** Runs what stands after `--` and answers its outcome, as the agent does. */
const steps =
  (more: Message = {}): Handler =>
  (message) =>
    message['op'] === 'verb'
      ? { id: 1, exec: command(message), key: 'key-1', limit: 2 * MIB, ...more }
      : { id: 1, exit: message['exit'], stderr: message['error'] && `${message['error']}\n` };

export interface ClientUnderTest {
  /** `bin` folder with svc, svc.verbs (step, sleep) and svc.cli (/bin/echo CLI). */
  folder: string;
  /** Runs arguments that are not UTF-8, and dies of SIGPIPE itself. */
  native: boolean;
}

interface Case {
  call(handle: Handler, args: readonly string[], options?: RunOptions): Promise<Ran>;
  agent(): TestAgent;
  folder: string;
  client: string;
}

function cases(t: Test, under: ClientUnderTest): Case {
  const folder = realpathSync(privateFolder(t));
  const client = join(under.folder, 'svc');
  let agent: TestAgent | undefined;
  let count = 0;
  return {
    folder,
    client,
    agent: () => agent!,
    async call(handle, args, options = {}) {
      agent = await testAgent(join(folder, `s${++count}`), handle);
      try {
        return await run(client, args, { ...options, env: { SVC_AGENT_SOCKET: agent.path, ...options.env } });
      } finally {
        agent.close();
      }
    },
  };
}

export function verbClientSuite(t: Test, under: ClientUnderTest): void {
  t.test('prints what it is told, byte by byte, and exits so', async (t) => {
    const { call, agent, folder } = cases(t, under);
    const bytes = Buffer.from([0, 255, 10, 0, 65]);
    const ran = await call(() => ({ id: 1, exit: 7, stdout: base64(bytes), stderr: 'träge\u2028\n' }), ['sleep', 'ä"\\\n'], { cwd: folder });
    t.match(ran, { code: 7, stderr: 'träge\u2028\n' });
    t.same(ran.stdout, bytes);
    t.same(agent().messages[0], { id: 0, op: 'hello', protocol: 2 });
    t.same(agent().messages[1], { id: 1, op: 'verb', argv: ['sleep', 'ä"\\\n'], cwd: folder });
  });

  t.test('runs a command in the place of the caller', async (t) => {
    const { call, agent, folder } = cases(t, under);
    const script = 'pwd; cat; env | grep -a SVC | sort; echo $KEPT; echo err >&2; printf end; exit 3';
    const env = { SVC_SECRET: 'x', SVC_: 'y', KEPT: 'kept', XSVC_A: 'z' };
    const ran = await call(steps(), ['step', 'x', '--', 'sh', '-c', script], { cwd: folder, env, stdin: 'in\0put\n' });
    const expected = `${folder}\nin\0put\nSVC_IDEMPOTENCY_KEY=key-1\nXSVC_A=z\nkept\nend`;
    t.match(ran, { code: 3, stderr: 'err\n' });
    t.equal(ran.stdout.toString(), expected);
    t.same(agent().messages[2], { id: 1, op: 'result', exit: 3, stdout: base64(expected), size: expected.length });
  });

  t.test('echoes only once the record is durable', async (t) => {
    const { call } = cases(t, under);
    let early: number | undefined;
    let child: { stdout: { readableLength: number } | null } | undefined;
    let seen = 0;
    const handle: Handler = (message) => {
      if (message['op'] === 'result') early = seen + (child?.stdout?.readableLength ?? 0);
      return steps()(message, undefined as never);
    };
    const ran = await call(handle, ['step', 'x', '--', 'echo', 'hi'], {
      onStart: (started) => {
        child = started;
        started.stdout?.on('data', (data) => {
          seen += data.length;
        });
      },
    });
    t.equal(early, 0);
    t.equal(ran.stdout.toString(), 'hi\n');
  });

  t.test('what the agent gives as stdout stands in place of what was captured', async (t) => {
    const { call } = cases(t, under);
    const handle: Handler = (message) =>
      message['op'] === 'verb' ? steps()(message, undefined as never) : { id: 1, exit: 1, stdout: base64('other') };
    t.match((await call(handle, ['step', 'x', '--', 'echo', 'hi'])).stdout.toString(), /^other$/);
  });

  t.test('captures up to the limit and counts beyond', async (t) => {
    const { call, agent } = cases(t, under);
    for (const [size, limit] of [[2 * MIB, 2 * MIB], [2 * MIB + 1, 2 * MIB], [100, 0]] as const) {
      const ran = await call(steps({ limit }), ['step', 'x', '--', 'head', '-c', `${size}`, '/dev/zero']);
      const result = agent().messages[2]!;
      const kept = Math.min(size, limit);
      t.equal(result['size'], size);
      t.equal(Buffer.from(result['stdout'], 'base64').length, kept);
      t.equal(ran.stdout.length, size > limit ? 0 : size, 'what is not recorded is not echoed');
    }
  });

  t.test('a first run streams into the log, a replay does not repeat it', async (t) => {
    const { call, folder } = cases(t, under);
    const path = join(folder, 'log');
    const file = openSync(path, 'w');
    const { dev, ino } = fstatSync(file, { bigint: true });
    const log = `1:1 ${dev}:${ino}`;
    let before = '';
    const handle: Handler = (message) => {
      if (message['op'] === 'result') before = readFileSync(path, 'utf8');
      return steps({ log })(message, undefined as never);
    };
    await call(handle, ['step', 'x', '--', 'echo', 'hi'], { stdout: file });
    t.equal(before, 'hi\n', 'it is in the log before the record is made');
    await call(() => ({ id: 1, exit: 0, stdout: base64('again\n'), replayed: true, log }), ['step', 'x'], { stdout: file });
    t.equal(readFileSync(path, 'utf8'), 'hi\n');
    await call(() => ({ id: 1, exit: 0, stdout: base64('first\n'), log }), ['wait-signal', 'x'], { stdout: file });
    t.equal(readFileSync(path, 'utf8'), 'hi\nfirst\n');
    closeSync(file);
    const piped = await call(() => ({ id: 1, exit: 0, stdout: base64('again\n'), replayed: true, log }), ['step', 'x']);
    t.equal(piped.stdout.toString(), 'again\n', 'a pipe of the script gets it on every pass');
  });

  t.test('a command that does not start or dies ends as in a shell', async (t) => {
    const { call, agent, folder } = cases(t, under);
    const plain = join(folder, 'plain');
    writeFileSync(plain, 'x');
    const rows: [string[], number, string | undefined][] = [
      [['no-such-command'], 127, 'no-such-command: command not found'],
      [['/no/such'], 127, '/no/such: No such file or directory'],
      [[plain], 126, `${plain}: Permission denied`],
      [[folder], 126, `${folder}: Permission denied`],
      [['sh', '-c', 'kill -9 $$'], 137, undefined],
      [['sh', '-c', 'kill -TERM $$'], 143, undefined],
    ];
    for (const [argv, exit, error] of rows) {
      const ran = await call(steps(), ['step', 'x', '--', ...argv]);
      t.equal(ran.code, exit, argv.join(' '));
      t.equal(agent().messages[2]!['error'], error);
      t.equal(ran.stderr, error ? `${error}\n` : '');
    }
    chmodSync(plain, 0o755);
    writeFileSync(plain, 'echo as a shell does');
    t.equal((await call(steps(), ['step', 'x', '--', plain])).stdout.toString(), 'as a shell does\n');
  });

  t.test('passes signals on to the command', async (t) => {
    const { call, agent } = cases(t, under);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) {
      const script = `trap 'echo got; exit 9' ${signal.slice(3)}; echo ready >&2; while :; do sleep 0.01; done`;
      const ran = await call(steps(), ['step', 'x', '--', 'sh', '-c', script], {
        onStderr: (text, child) => text === 'ready\n' && child.kill(signal),
      });
      t.match(ran, { code: 9, stderr: 'ready\n' }, signal);
      t.equal(agent().messages[2]!['exit'], 9);
    }
  });

  t.test('takes any arguments', async (t) => {
    const { call, agent } = cases(t, under);
    const many = Array.from({ length: 1000 }, (_, index) => `${index} ${'x'.repeat(index % 90)}`);
    const ran = await call(steps(), ['step', 'x', '--', 'printf', '%s\\n', ...many]);
    t.equal(ran.stdout.toString(), `${many.join('\n')}\n`);
    // A shell makes the bytes, for Node cannot.
    const script = `exec "$0" step "$(printf 'a\\377\\360\\237\\230b\\355\\240\\200')" -- printf %s "$(printf 'a\\377\\303')" '\u{1f600}'`;
    const socket = await testAgent(join(agent().path, '../bytes'), steps());
    const shell = await run('sh', ['-c', script, join(under.folder, 'svc')], { env: { SVC_AGENT_SOCKET: socket.path } });
    socket.close();
    t.same(socket.messages[1]!['argv'].slice(0, 2), ['step', 'a\ufffd\ufffdb\ufffd\ufffd\ufffd']);
    const bytes = under.native ? Buffer.from([97, 255, 195]) : Buffer.from('a\ufffd\ufffd');
    t.same(shell.stdout, Buffer.concat([bytes, Buffer.from('\u{1f600}')]), 'the command gets the bytes themselves');
  });

  t.test('reads standard input for the agent', async (t) => {
    const { call, agent, client } = cases(t, under);
    const handle: Handler = (message) => (message['op'] === 'verb' ? { id: 1, stdin: 10 } : { id: 1, exit: 0 });
    for (const [stdin, size, data] of [['', 0, ''], ['ten bytes!', 10, 'ten bytes!'], ['eleven byte', 11, 'eleven byt'], ['x'.repeat(MIB), 11, 'x'.repeat(10)]] as const) {
      t.equal((await call(handle, ['annotate', '-'], { stdin })).code, 0);
      t.same(agent().messages[2], { id: 1, op: 'stdin', data: base64(data), size });
    }
    const socket = await testAgent(join(agent().path, '../closed'), handle);
    const ran = await run('sh', ['-c', 'exec "$0" annotate - <&-', client], { env: { SVC_AGENT_SOCKET: socket.path } });
    socket.close();
    t.match(ran, { code: 1, stderr: 'svc: cannot read standard input: Bad file descriptor\n' });
  });

  t.test('treats an output that nobody takes as cat does', async (t) => {
    const { call, folder, client } = cases(t, under);
    const out = { id: 1, exit: 0, stdout: base64('x'.repeat(MIB)) };
    let close = () => {};
    const handle: Handler = () => {
      close();
      return out;
    };
    const ran = await call(handle, ['status'], {
      onStart: (child) => {
        close = () => child.stdout?.destroy();
      },
    });
    t.equal(ran.signal === 'SIGPIPE' ? 141 : ran.code, 141);
    const replies = [out, { id: 1, exit: 4 }];
    const socket = await testAgent(join(folder, 'c'), () => replies.shift());
    const env = { SVC_AGENT_SOCKET: socket.path };
    t.match(await run('sh', ['-c', 'exec "$0" x >&-', client], { env }), { code: 1, stderr: 'svc: cannot write to standard output: Bad file descriptor\n' });
    t.match(await run('sh', ['-c', 'exec "$0" x >&-', client], { env }), { code: 4, stderr: '' });
    socket.close();
    const full = await call(() => out, ['x'], { stdout: openSync('/dev/full', 'w') });
    t.match(full, { code: 1, stderr: 'svc: cannot write to standard output: No space left on device\n' });
  });

  t.test('becomes the full program where it is told to, and outside of a script run', async (t) => {
    const { call, client } = cases(t, under);
    t.match((await call(() => ({ id: 1, handoff: true }), ['status', "it's", '--json'])).stdout.toString(), /^CLI status it's --json\n$/);
    t.match((await run(client, ['runs', 'ls'])).stdout.toString(), /^CLI runs ls\n$/);
    t.match((await run(client, [], { env: { SVC_AGENT_SOCKET: '' } })).stdout.toString(), /^CLI\n$/);
    const body = await run(client, ['sleep', '5s']);
    t.match(body, { code: 1, stderr: /SVC_AGENT_SOCKET is not set: `svc sleep` works only in a script run, and not inside a step body/ });
    t.equal(body.stdout.length, 0);
  });

  t.test('waits to be killed when its activity is gone', async (t) => {
    const { call } = cases(t, under);
    let child: { kill(): unknown } | undefined;
    const handle: Handler = (_message, socket) => {
      socket.end('{"id":1,"gone":true}\n');
      socket.on('finish', () => child?.kill());
    };
    const ran = await call(handle, ['sleep', '1h'], { onStart: (started) => (child = started) });
    t.match(ran, { code: null, signal: 'SIGTERM', stderr: '' });
  });

  t.test('says that the agent is gone', async (t) => {
    const { call, client, folder } = cases(t, under);
    const path = join(folder, 'none');
    const text = (what: string) => `svc: ${what} The agent has ended or given this pass up; the run goes on where an agent takes it up again, and what was recorded is not run again.\n`;
    const none = await run(client, ['step', 'x'], { env: { SVC_AGENT_SOCKET: path } });
    t.match(none, { code: 1, stderr: text(`cannot reach the agent (${path}: No such file or directory).`) });
    const ended = await call((_message, socket) => void socket.end(), ['step', 'x']);
    t.match(ended, { code: 1, stderr: /the agent closed the connection before it answered/ });
    const late = await call((message, socket) => (message['op'] === 'verb' ? steps()(message, socket) : void socket.end()), ['step', 'x', '--', 'echo', 'hi']);
    t.match(late, { code: 1, stderr: /closed the connection/ });
    t.equal(late.stdout.length, 0);
  });

  t.test('refuses what it does not understand', async (t) => {
    const { call, client, folder } = cases(t, under);
    const broken = ['', 'nonsense', '[]', '{"id":1,"exit":0', '{"exit":256}', '{"exit":-1}', '{"exit":1.5}', '{"exit":"0"}', '{"exit":0}x', '{"exit":01}',
      '{"exit":0,"stdout":"a"}', '{"exit":0,"stdout":"YWJ="}', '{"exit":0,"stdout":"YW=="}', '{"exit":0,"stderr":"\u0001"}', '{"exec":[]}', '{"exec":["a"],"limit":1}',
      '{"exec":["a\\u0000b"],"key":"k","limit":1}', '{"id":1}', '{"exec":["a"],"key":"k","limit":-1}', '{"gone":1}', '{"exit":0,"x":"\\x"}', '{"exit":0,}'];
    for (const line of broken) {
      const ran = await call(() => line, ['step', 'x']);
      t.match(ran, { code: 1, signal: null, stderr: /^svc: the agent's answer .*different versions\.\n$/ }, line);
    }
    const refused = await call(() => ({ id: 1, error: { code: 'x', message: 'No.', next: 'Do this.' } }), ['step', 'x']);
    t.match(refused, { code: 1, stderr: 'svc: No. Do this.\n' });
    mkdirSync(join(folder, 'd'));
    const long = await run(client, ['step', 'x'], { env: { SVC_AGENT_SOCKET: join(folder, 'd'.repeat(120)) } });
    t.equal(long.code, 1);
  });

  t.test('a command may open its standard output anew', async (t) => {
    const { call } = cases(t, under);
    const ran = await call(steps(), ['step', 'x', '--', 'sh', '-c', 'echo a > /dev/stdout; echo b | tee /dev/stdout']);
    t.equal(ran.stdout.toString(), 'a\nb\nb\n');
  });
  t.end();
}
