import { chmodSync, closeSync, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Handler } from './test-agent.ts';
import { base64, type ClientUnderTest, cases, MIB, steps } from './verb-client-case.ts';

/** What a client does with a command, for the agent and for the caller. */
export function verbClientSuite(t: Test, under: ClientUnderTest): void {
  t.test('prints what it is told, byte by byte, and exits so', async (t) => {
    const { call, agent, folder } = cases(t, under);
    const bytes = Buffer.from([0, 255, 10, 0, 65]);
    const ran = await call(
      () => ({ id: 1, exit: 7, stdout: base64(bytes), stderr: 'träge\u2028\n' }),
      ['sleep', 'ä"\\\n'],
      { cwd: folder },
    );
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

  t.test('a command of a traced pass has the span of its step, and no other has', async (t) => {
    const { call } = cases(t, under);
    const key = `${'b7'.repeat(8)}${'0'.repeat(48)}`;
    const told = async (env: Record<string, string>) => {
      const ran = await call(steps({ key }), ['step', 'x', '--', 'sh', '-c', 'printf "$TRACEPARENT"'], { env });
      return ran.stdout.toString();
    };
    const trace = '1a'.repeat(16);
    t.equal(await told({ SVC_TRACE: `${trace}-01`, TRACEPARENT: 'of the pass' }), `00-${trace}-${'b7'.repeat(8)}-01`);
    t.equal(await told({ TRACEPARENT: "the script's own" }), "the script's own");
    t.equal(await told({}), '');
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
    const refuse: Handler = (message) =>
      message['op'] === 'verb' ? steps()(message, undefined as never) : { id: 1, exit: 1, code: 'x', stderr: 'no\n' };
    const refused = await call(refuse, ['step', 'x', '--', 'echo', 'hi']);
    t.match(refused, { code: 1, stderr: 'no\n' });
    t.equal(refused.stdout.length, 0, 'what is not recorded is not echoed');
  });

  t.test('captures up to the limit and counts beyond', async (t) => {
    const { call, agent } = cases(t, under);
    for (const [size, limit] of [
      [2 * MIB, 2 * MIB],
      [2 * MIB + 1, 2 * MIB],
      [100, 0],
    ] as const) {
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
    await call(() => ({ id: 1, exit: 0, stdout: base64('again\n'), replayed: true, log }), ['step', 'x'], {
      stdout: file,
    });
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
    if (under.in_shell) return t.comment('a shell that is sent one waits for its command, or ends');
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

  t.end();
}
