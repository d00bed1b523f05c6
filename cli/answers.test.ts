import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import type { Argument, Command, Invocation } from './command.ts';
import { Client } from './client/client.ts';
import { CliError } from './errors.ts';
import { Output } from './output/output.ts';
import { parse } from './parse.ts';
import { loadCommands } from './tables.ts';

/** What servers answer that are not svc, or another version of it. */
const ANSWERS = ['{}', '{"runs":{}}', '[]', 'null', '"x"', '7', '', '<html>'];

let answer = '';
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
t.teardown(() => server.close());
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** The others run a server or an agent of their own, wait for people, or write files. */
const isAsking = ({ name, anywhere }: Command) =>
  !anywhere && !/^(?:admin .*|connector init|serve|agent|dev|run|docs|help|doctor|console|completion)$/.test(name);

function argumentFor({ name, choices, run }: Argument, folder: string): string {
  if (run) return `run_${'0'.repeat(26)}`;
  if (/file|document|path/.test(name)) return join(folder, 'a.sh');
  return choices?.[0] ?? 'name';
}

t.test('no answer makes a command print a stack trace, or values that are not there', async (t) => {
  const folder = t.testdir({ 'a.sh': 'true\n', 'a.json': '{}' });
  const profile = { url, token: 'x', org: 'o', project: 'p', origin: 'a test', token_origin: 'a test' };
  const commands = (await loadCommands(process.env)).filter(isAsking);
  t.ok(commands.length > 60, `${commands.length} commands`);
  for (const command of commands) {
    const { run } = await command.load();
    const args = (command.args ?? []).filter(({ optional }) => !optional).map((one) => argumentFor(one, folder));
    if (command.name.startsWith('graph save')) args[1] = join(folder, 'a.json');
    const parsed = parse(command, command.name === 'handler set' ? [...args, '--on', 'a.b'] : args, commands);
    for (const text of ANSWERS) {
      answer = text;
      let printed = '';
      const write = (bytes: string | Buffer) => ((printed += bytes), true);
      const stream = { write, on: () => undefined, columns: 80 } as unknown as NodeJS.WriteStream;
      const stdin = Object.assign(new PassThrough(), { isTTY: false });
      stdin.end('x');
      const client = new Client(profile);
      const invocation = {
        ...{ ...parsed, commands, stdin, env: { SVC_URL: url } },
        output: new Output({ stdout: stream, stderr: stream }, { json: false, colour: false }),
        ...{ verbs: async () => [], client: async () => client, profile: async () => profile },
      } as unknown as Invocation;
      const failure = await Promise.resolve()
        .then(() => run(invocation))
        .then(
          () => undefined,
          (error: unknown) => client.toUnexpectedAnswer(error) ?? error,
        );
      const what = `svc ${command.name} after ${text}`;
      t.ok(failure === undefined || failure instanceof CliError, what);
      t.notMatch(printed, /undefined|NaN|\[object/, what);
    }
  }
});

t.test('a submit that is answered with nothing known says what to do', async (t) => {
  const folder = t.testdir({});
  writeFileSync(join(folder, 'a.sh'), 'true\n');
  const env = { PATH: process.env.PATH, HOME: folder, SVC_URL: url, SVC_TOKEN: 'x', SVC_ORG: 'o', SVC_PROJECT: 'p' };
  const submit = async (text: string, ...args: string[]) => {
    answer = text;
    const child = spawn(join(import.meta.dirname, 'svc'), args, { cwd: folder, env });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk));
    const [status] = await once(child, 'close');
    return { status, stderr };
  };
  const submitted = await submit('{}', 'submit', 'a.sh');
  t.equal(submitted.status, 1);
  t.match(
    submitted.stderr,
    /^svc: http:.* returned an unexpected response to POST .*\/runs: it has no run_id \(unexpected_answer\)\n {2}→ /,
  );
  t.notMatch(submitted.stderr, /\n {4}at /);
  const shown = await submit('{}', 'summary');
  t.match(shown.stderr, /^svc: http:.* \(unexpected_answer\)\n {2}at .*\n {2}→ /, 'one frame, for those who report it');
});
