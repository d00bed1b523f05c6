import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { lacking } from '../../test/kit/needs.ts';

const SVC = join(import.meta.dirname, '../svc');
const TERMINAL = join(import.meta.dirname, '../../features/support/terminal.py');
const terminal = lacking('python3', spawnSync('python3', ['-c', '']).status !== 0);

/** Leaves the first request without an answer for longer than an agent waits when it starts, and refuses all others. */
async function refusingServer(t: Test, detail: string): Promise<string> {
  const body = JSON.stringify({ detail });
  const head = `HTTP/1.1 401 No\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
  let waiting = true;
  const server = createServer().on('upgrade', (_, socket) => {
    if (!waiting) return socket.end(head + body);
    waiting = false;
    return setTimeout(() => socket.destroy(), 3000);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('what a server says when it refuses an agent that works steers no terminal', terminal, async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'svc-agent-test-'));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  const url = await refusingServer(t, 'go \u001b]0;away\u0007 \u009b2J now');
  const env = { PATH: process.env.PATH, HOME: home, SVC_URL: url, SVC_TOKEN: 'svc_agt_x', TERM: 'xterm' };
  const agent = spawn('python3', [TERMINAL, SVC, 'agent'], { env, cwd: home });
  t.teardown(() => agent.kill('SIGKILL'));
  let said = '';
  agent.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise((closed) => agent.once('close', closed));
  t.equal(code, 4);
  t.match(said, /svc agent works for/, 'it had started');
  t.match(said, /svc: .*go \\u001b\]0;away\\u0007 \\u009b2J now/);
  for (const control of ['\u0007', '\u009b', '\u001b]']) t.notOk(said.includes(control));
});
