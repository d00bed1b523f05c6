import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { needs } from '../kit/needs.ts';

/** A line that is written as it is, or an object as JSON; undefined: no answer. */
type Answer = string | Record<string, unknown> | undefined;
type Message = Record<string, unknown>;

interface FakeAgent {
  path: string;
  /** What clients have said, the hellos too. */
  said: Message[];
}

/** An agent of the test's own making; what `answer` returns is sent. */
async function fakeAgent(
  t: Test,
  answer: (message: Message, socket: Socket, connection: number) => Answer,
): Promise<FakeAgent> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-fake-'));
  const path = join(folder, 's');
  const said: Message[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = connections++;
    let rest = '';
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const message = JSON.parse(line) as Message;
        said.push(message);
        const reply = answer(message, socket, connection);
        if (reply !== undefined && !socket.destroyed)
          socket.write(typeof reply === 'string' ? reply : `${JSON.stringify(reply)}\n`);
      }
    });
  });
  await new Promise<void>((listening) => server.listen(path, listening));
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
    rmSync(folder, { recursive: true });
  });
  return { path, said };
}

const hello = (protocol: number) => ({ id: 0, ok: true, protocol });

/** Serves steps of functions, as an agent with an empty journal does. */
function record(message: Message, name = ''): Answer {
  const { op, id } = message;
  if (op === 'hello') return hello(2);
  if (op === 'begin')
    return { id, run: true, key: 'k'.repeat(64), position: 0, site: `${message.name}#0`, limit: 2097152 };
  if (op === 'end') return { id, record: { name, exit_code: message.exit, output: message.stdout }, replayed: false };
  return { id, exit: 0, stdout: '' };
}

interface Program {
  language: string;
  /** Runs `calls` and prints `answer`, or `error.code: error.message` of what went wrong in each of them. */
  run(path: string | undefined, calls: Calls): Promise<{ lines: string[]; ms: number }>;
}

/** One expression for each call: of JavaScript, and of Python. */
type Calls = readonly (readonly [javascript: string, python: string])[];

const SDK = join(import.meta.dirname, '../../plugins/execution/scripts/sdk');

function start(file: string, args: string[], path: string | undefined, more: Record<string, string>) {
  const { PATH = '' } = process.env;
  const env = { PATH, ...more, ...(path === undefined ? {} : { SVC_AGENT_SOCKET: path, SVC_AGENT_PID: '1' }) };
  const since = performance.now();
  return new Promise<{ lines: string[]; ms: number }>((resolve, reject) =>
    execFile(file, args, { env, timeout: 60_000, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (error && !error.killed) reject(new Error(`${error.message}\n${stderr}`));
      else resolve({ lines: stdout.trimEnd().split('\n'), ms: performance.now() - since });
    }),
  );
}

const javascript: Program = {
  language: 'JavaScript',
  run(path, calls) {
    const attempts = calls.map(([call]) => `await attempt(async () => ${call});`).join('\n');
    const source = `
      import * as svc from ${JSON.stringify(join(SDK, 'sdk.mjs'))};
      const attempt = async (call) => {
        try { console.log(JSON.stringify(await call()) ?? 'null'); }
        catch (error) { console.log(error.code + ': ' + error.message); }
      };
      ${attempts}`;
    return start(process.execPath, ['--input-type=module', '-e', source], path, {});
  },
};

const python: Program = {
  language: 'Python',
  run(path, calls) {
    const attempts = calls.map(([, call]) => `attempt(lambda: ${call})`).join('\n');
    const source = `
import json
import svc_sdk as svc
def attempt(call):
    try: print(json.dumps(call()), flush=True)
    except svc.SvcError as error: print(error.code + ": " + str(error), flush=True)
${attempts}`;
    return start('python3', ['-c', source], path, { PYTHONPATH: SDK, PYTHONDONTWRITEBYTECODE: '1' });
  },
};

const STEP = ['svc.step("s", () => "done")', 'svc.step("s", lambda: "done")'] as const;
const SLEEP = ['svc.sleep("1s")', 'svc.sleep("1s")'] as const;

t.jobs = 2;
for (const { language, run } of [javascript, python])
  t.test(language, { buffered: true, ...(language === 'Python' ? needs('python3') : {}) }, async (t) => {
    t.test('outside of a script run it says what is missing', async (t) => {
      const { lines } = await run(undefined, [
        STEP,
        ['svc.input()', 'svc.input()'],
        ['svc.vars()', 'svc.vars()'],
        ['svc.SvcError.name', '"SvcError"'],
      ]);
      t.same(lines, [
        'not_in_a_script_run: SVC_AGENT_SOCKET is not set: this call works only in a script that an agent runs',
        'not_in_a_script_run: SVC_INPUT_FILE is not set: this call works only in a script that an agent runs',
        'not_in_a_script_run: SVC_INPUT_FILE is not set: this call works only in a script that an agent runs',
        '"SvcError"',
      ]);
    });

    t.test('an agent of protocol 1: waits with a timeout are refused before they are asked for', async (t) => {
      const { path, said } = await fakeAgent(t, (message) =>
        message.op === 'hello' ? hello(1) : { id: message.id, exit: 0, stdout: 'MQo=' },
      );
      const { lines } = await run(path, [
        ['svc.waitSignal("go", { timeout: "5s" })', 'svc.wait_signal("go", timeout="5s")'],
        ['svc.waitEvent("go", { timeout: 5000 })', 'svc.wait_event("go", timeout=5)'],
        ['svc.lock("go", { timeout: "5s" })', 'svc.lock("go", timeout="5s")'],
        ['svc.waitSignal("go")', 'svc.wait_signal("go")'],
      ]);
      const refusal = (verb: string) =>
        `protocol_unsupported: ${verb} with a timeout needs protocol 2 of the agent socket, but this agent speaks protocol 1`;
      t.same(lines, [refusal('wait-signal'), refusal('wait-event'), refusal('lock'), '1']);
      t.same(
        said.map(({ op, args }) => [op, args]),
        [
          ['hello', undefined],
          ['call', ['--', 'go']],
        ],
      );
    });

    t.test('refusals, garbage and answers to nothing; the next call has a connection of its own', async (t) => {
      const answers: Record<number, (id: unknown) => Answer> = {
        0: () => 'garbage\n',
        1: () => '[1]\n',
        2: () => '{"id":77,"exit":0}\n',
        3: () => ({ error: { code: 'too_long', message: 'a line has too many bytes' }, id: 0 }),
        4: (id) => ({ id, exit: 'zero' }),
        5: (id) => ({ id, error: { code: 'verb_usage', message: 'not so', next: 'so' } }),
        6: (id) => ({ id, exit: 2, code: 'duration_invalid', stderr: 'svc sleep: "x" is none\nusage: svc sleep\n' }),
        7: (id) => `{"id":${id},"exit":0,"stdout":"${Buffer.from([0, 255]).toString('base64')}"}\n`,
      };
      let calls = 0;
      const { path, said } = await fakeAgent(t, (message) =>
        message.op === 'hello' ? hello(2) : answers[calls++]!(message.id),
      );
      const { lines } = await run(
        path,
        Array.from({ length: 8 }, () => SLEEP),
      );
      t.same(lines, [
        "agent_answer_invalid: the agent's answer cannot be read: it is not JSON",
        "agent_answer_invalid: the agent's answer cannot be read: it is not a JSON object",
        "agent_answer_invalid: the agent's answer cannot be read: it was not requested",
        'too_long: a line has too many bytes',
        'agent_answer_invalid: the agent sent an unknown request',
        'verb_usage: not so',
        'duration_invalid: "x" is none',
        'null',
      ]);
      t.equal(said.filter(({ op }) => op === 'hello').length, 5, 'what cannot be read ends the connection');
    });

    t.test('answers in pieces of a byte, and one of many megabytes', async (t) => {
      const big = Buffer.from(`${'x'.repeat(9 * 1024 * 1024)}\n`).toString('base64');
      const { path } = await fakeAgent(t, (message, socket) => {
        const answer = message.op === 'call' ? { id: message.id, exit: 0, stdout: big } : record(message);
        const line = `${JSON.stringify(answer)}\n`;
        if (line.length > 1000) return line;
        for (const byte of Buffer.from(line)) socket.write(Buffer.of(byte));
        return undefined;
      });
      const { lines } = await run(path, [
        STEP,
        ['svc.verb("big").then((done) => done.text.length)', 'len(svc.verb("big").text)'],
      ]);
      t.same(lines, ['"done"', String(9 * 1024 * 1024)]);
    });

    t.test('a step whose end is refused: nothing stays open', async (t) => {
      const { path, said } = await fakeAgent(t, (message, _socket, connection) =>
        message.op === 'end' && connection === 0
          ? { id: message.id, error: { code: 'invalid', message: 'no such end' } }
          : record(message),
      );
      t.same((await run(path, [STEP, STEP])).lines, ['invalid: no such end', '"done"']);
      t.same(
        said.map(({ op }) => op),
        ['hello', 'begin', 'end', 'hello', 'begin', 'end'],
      );
    });

    t.test(
      'an agent that is gone: time to be killed first, then an error that tells what becomes of the run',
      async (t) => {
        const { path } = await fakeAgent(t, (message, socket) => {
          if (message.op === 'end') socket.destroy();
          return record(message);
        });
        const [{ lines, ms }, none] = await Promise.all([
          run(path, [STEP]),
          run(join(tmpdir(), 'svc-no-such-agent'), [STEP]),
        ]);
        t.match(lines[0], /^agent_lost: the agent is no longer running \(SVC_AGENT_SOCKET \S+: .+\)$/);
        t.ok(ms > 5000, 'it waited to be killed');
        t.match(
          none.lines[0],
          /^agent_lost: the agent is no longer running \(SVC_AGENT_SOCKET \S+: (ENOENT|No such file or directory)\)$/,
        );
      },
    );

    t.test('a pass that is over: the program stands still, whatever it catches', async (t) => {
      let heard = 0;
      const child = Promise.withResolvers<void>();
      const { path, said } = await fakeAgent(t, (message) => {
        if (message.op === 'hello') return hello(2);
        heard += 1;
        child.resolve();
        return { id: message.id, gone: true };
      });
      const stopped = new AbortController();
      const [javascript, python] = [
        `try { await svc.sleep("1s"); } finally { console.log("on"); await svc.sleep("2s"); }`,
        'svc.sleep("1s")',
      ];
      const code =
        language === 'Python'
          ? `import svc_sdk as svc\ntry: ${python}\nexcept BaseException: print("on")\nfinally: print("on")\n`
          : `import * as svc from ${JSON.stringify(join(SDK, 'sdk.mjs'))}; ${javascript}`;
      const args = language === 'Python' ? ['-c', code] : ['--input-type=module', '-e', code];
      const file = language === 'Python' ? 'python3' : process.execPath;
      const { PATH = '' } = process.env;
      const env = { PATH, SVC_AGENT_SOCKET: path, PYTHONPATH: SDK, PYTHONDONTWRITEBYTECODE: '1' };
      const ended = new Promise<{ signal: unknown; stdout: string }>((resolve) =>
        execFile(file, args, { env, signal: stopped.signal, killSignal: 'SIGKILL' }, (error, stdout) =>
          resolve({ signal: error?.name, stdout }),
        ),
      );
      await child.promise;
      // A program that went on would end by itself, or ask again.
      const first = await Promise.race([ended, new Promise((later) => setTimeout(later, 1000, 'stands'))]);
      t.equal(first, 'stands');
      stopped.abort();
      t.same(await ended, { signal: 'AbortError', stdout: '' });
      t.equal(heard, 1);
      t.equal(said.length, 2);
    });
  });

t.test(
  'Python: a call of asyncio that is cancelled before the agent answers is ended all the same',
  needs('python3'),
  async (t) => {
    const source = `
import asyncio, os, signal
from svc_sdk import aio
async def main():
    step = asyncio.ensure_future(aio.step(str(os.getpid()), work))
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, step.cancel)
    try: await step
    except asyncio.CancelledError: print("cancelled", flush=True)
    print(await aio.step("next", lambda: "on"))
async def work():
    await asyncio.sleep(1000)
asyncio.run(main())`;
    const { path, said } = await fakeAgent(t, (message, socket, connection) => {
      const { op, name } = message;
      const answer = record(message);
      if (op !== 'begin' || name === 'next' || connection > 0) return answer;
      // Cancelled first, answered then.
      process.kill(Number(name), 'SIGUSR1');
      setTimeout(() => socket.write(`${JSON.stringify(answer)}\n`), 300);
      return undefined;
    });
    const { lines } = await start('python3', ['-c', source], path, { PYTHONPATH: SDK, PYTHONDONTWRITEBYTECODE: '1' });
    t.same(lines, ['cancelled', 'on']);
    t.same(
      said.map(({ op, exit }) => [op, exit]),
      [
        ['hello', undefined],
        ['begin', undefined],
        ['end', 1],
        ['begin', undefined],
        ['end', 0],
      ],
      'its place is settled, over the same connection',
    );
  },
);
