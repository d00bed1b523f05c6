import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type Handler, run, testAgent } from './test-agent.ts';
import { base64, type ClientUnderTest, cases, MIB, steps } from './verb-client-case.ts';

/** What a client does with odd arguments, closed descriptors, absent and broken agents. */
export function verbClientEdges(t: Test, under: ClientUnderTest): void {
  t.test('takes any arguments', async (t) => {
    const { call, agent } = cases(t, under);
    const many = Array.from({ length: 1000 }, (_, index) => `${index} ${'x'.repeat(index % 90)}`);
    const ran = await call(steps(), ['step', 'x', '--', 'printf', '%s\\n', ...many]);
    t.equal(ran.stdout.toString(), `${many.join('\n')}\n`);
    // A shell makes the bytes, for Node cannot.
    const script = `exec "$0" step "$(printf 'a\\377\\360\\237\\230b\\355\\240\\200')" -- printf %s "$(printf 'a\\377\\303')" '\u{1f600}'`;
    const socket = await testAgent(join(agent().path, '../bytes'), steps());
    const shell = await run('sh', ['-c', script, join(under.folder, 'svc')], {
      env: { SVC_AGENT_SOCKET: socket.path },
    });
    socket.close();
    t.same(socket.messages[1]!['argv'].slice(0, 2), ['step', 'a\ufffd\ufffdb\ufffd\ufffd\ufffd']);
    const bytes = under.native ? Buffer.from([97, 255, 195]) : Buffer.from('a\ufffd\ufffd');
    t.same(shell.stdout, Buffer.concat([bytes, Buffer.from('\u{1f600}')]), 'the command gets the bytes themselves');
  });

  t.test('reads standard input for the agent', async (t) => {
    const { call, agent, client } = cases(t, under);
    const handle: Handler = (message) => (message['op'] === 'verb' ? { id: 1, stdin: 10 } : { id: 1, exit: 0 });
    for (const [stdin, size, data] of [
      ['', 0, ''],
      ['ten bytes!', 10, 'ten bytes!'],
      ['eleven byte', 11, 'eleven byt'],
      ['x'.repeat(MIB), 11, 'x'.repeat(10)],
    ] as const) {
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
    t.match(await run('sh', ['-c', 'exec "$0" x >&-', client], { env }), {
      code: 1,
      stderr: 'svc: cannot write to standard output: Bad file descriptor\n',
    });
    t.match(await run('sh', ['-c', 'exec "$0" x >&-', client], { env }), { code: 4, stderr: '' });
    socket.close();
    const full = await call(() => out, ['x'], { stdout: openSync('/dev/full', 'w') });
    t.match(full, { code: 1, stderr: 'svc: cannot write to standard output: No space left on device\n' });
  });

  t.test('becomes the full program where it is told to, and outside of a script run', async (t) => {
    const { call, client } = cases(t, under);
    t.match(
      (await call(() => ({ id: 1, handoff: true }), ['status', "it's", '--json'])).stdout.toString(),
      /^CLI status it's --json\n$/,
    );
    t.match((await run(client, ['runs', 'ls'])).stdout.toString(), /^CLI runs ls\n$/);
    t.match((await run(client, [], { env: { SVC_AGENT_SOCKET: '' } })).stdout.toString(), /^CLI\n$/);
    const body = await run(client, ['sleep', '5s']);
    t.match(body, {
      code: 1,
      stderr: /SVC_AGENT_SOCKET is not set: `svc sleep` works only in a script run, and not inside a step body/,
    });
    t.equal(body.stdout.length, 0);
    const put = await run(client, ['file', 'put', 'x']);
    t.match(put, { code: 1, stderr: /`svc file put` works only in a script run/ }, 'a verb of two words');
    for (const args of [['file'], ['file', 'ls'], ['file', 'putt'], ['files', 'put'], ['fil', 'e put'], ['put']])
      t.equal((await run(client, args)).stdout.toString(), `CLI ${args.join(' ')}\n`, args.join('+'));
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
    const text = (what: string) =>
      `svc: ${what} The agent has ended or abandoned this pass; the run continues when an agent claims it again, and recorded calls are not repeated.\n`;
    const none = await run(client, ['step', 'x'], { env: { SVC_AGENT_SOCKET: path } });
    t.match(none, { code: 1, stderr: text(`cannot reach the agent (${path}: No such file or directory).`) });
    const ended = await call((_message, socket) => void socket.end(), ['step', 'x']);
    t.match(ended, { code: 1, stderr: /the agent closed the connection before it answered/ });
    const late = await call(
      (message, socket) => (message['op'] === 'verb' ? steps()(message, socket) : void socket.end()),
      ['step', 'x', '--', 'echo', 'hi'],
    );
    t.match(late, { code: 1, stderr: /closed the connection/ });
    t.equal(late.stdout.length, 0);
  });

  t.test('refuses what it does not understand', async (t) => {
    const { call, client, folder } = cases(t, under);
    const broken = [
      '',
      'nonsense',
      '[]',
      '{"id":1,"exit":0',
      '{"exit":256}',
      '{"exit":-1}',
      '{"exit":1.5}',
      '{"exit":"0"}',
      '{"exit":0}x',
      '{"exit":01}',
      '{"exit":0,"stdout":"a"}',
      '{"exit":0,"stdout":"YWJ="}',
      '{"exit":0,"stdout":"YW=="}',
      '{"exit":0,"stderr":"\u0001"}',
      '{"exec":[]}',
      '{"exec":["a"],"limit":1}',
      '{"exec":["a\\u0000b"],"key":"k","limit":1}',
      '{"id":1}',
      '{"exec":["a"],"key":"k","limit":-1}',
      '{"gone":1}',
      '{"exit":0,"x":"\\x"}',
      '{"exit":0,}',
    ];
    for (const line of broken) {
      const ran = await call(() => line, ['step', 'x']);
      t.match(ran, { code: 1, signal: null, stderr: /^svc: the agent's answer .*different versions\.\n$/ }, line);
    }
    const refused = await call(
      () => ({ id: 1, error: { code: 'x', message: 'No.', next: 'Do this.' } }),
      ['step', 'x'],
    );
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
