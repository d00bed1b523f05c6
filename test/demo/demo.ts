import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The demonstration: the main job on the embedded default, with a real SIGKILL in the middle. */
const svc = resolve(import.meta.dirname, '../../cli/svc');
const script = resolve(import.meta.dirname, 'release.sh');
const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
const env = {
  PATH: process.env.PATH ?? '',
  HOME: folder,
  TERM: process.env.TERM ?? 'dumb',
  SVC_PORT: '0',
  SVC_LEASE_MS: '2000',
};

const say = (text: string) => process.stdout.write(`\n\u001b[1m${text}\u001b[0m\n`);

function call(...args: string[]): string {
  const { stdout, stderr, status } = spawnSync(svc, args, { cwd: folder, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`svc ${args.join(' ')} exited with ${status}: ${stderr}`);
  return stdout.trimEnd();
}

async function until(what: string, probe: () => boolean): Promise<void> {
  const end = Date.now() + 60_000;
  while (!probe()) {
    if (Date.now() > end) throw new Error(`waited a minute for ${what}`);
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

async function dev(): Promise<ChildProcess> {
  const child = spawn(svc, ['dev', '--port', '0'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  await until('svc dev to be ready', () => {
    if (child.exitCode !== null) throw new Error(text);
    return text.includes('is ready');
  });
  process.stdout.write(text);
  return child;
}

interface Step {
  site: string;
}

async function story(): Promise<void> {
  say('1. svc dev: server, console and one agent, on SQLite in a folder that goes away');
  let server = await dev();
  say('2. svc submit release.sh');
  const run = call('submit', script, '--env', `DEMO_FOLDER=${folder}`, '--tag', 'demo');
  process.stdout.write(`${run}\n`);
  await until(
    'the second step',
    () => (JSON.parse(call('steps', run, '--json')) as { steps: Step[] }).steps.length >= 2,
  );
  say('3. kill -9, in the middle of the build: server, agent and script are gone');
  server.kill('SIGKILL');
  await once(server, 'close');
  say('4. svc dev again: the script starts from the top and gets its recorded results');
  server = await dev();
  await until('the wait', () => call('status', run).includes('signal approved'));
  process.stdout.write(`${call('status', run)}\n`);
  say('5. svc signal: the approval it waits for');
  call('signal', run, 'approved', '--payload', '{"by":"you"}');
  await until('the end', () => /succeeded|failed/.test(call('status', run)));
  say('6. what was recorded, each once');
  process.stdout.write(`${call('steps', run, '--output')}\n`);
  say('7. what it printed: plain shell once a pass, recorded output once');
  process.stdout.write(`${call('logs', run)}\n`);
  say('8. how it ended');
  process.stdout.write(`${call('status', run)}\n`);
  const ledger = readFileSync(join(folder, 'ledger'), 'utf8').trim().split('\n');
  if (!call('status', run).includes('succeeded')) throw new Error('the run did not succeed');
  if (ledger.filter((line) => line === 'shipped').length !== 1)
    throw new Error(`shipped more than once: ${ledger.join(', ')}`);
  server.kill('SIGTERM');
  await once(server, 'close');
}

try {
  await story();
  say('Done; nothing is left behind.');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
