import { execFile } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { homeFolder } from '../../features/support/home.ts';
import { Service } from '../../features/support/process.ts';
import { clone, svcProgram } from '../../features/support/target.ts';
import { fail, replayRun, testRun } from '../../plugins/execution/scripts/sdk/testing.mjs';
import { everyCall } from './programs/every-call.ts';

const run = promisify(execFile);

interface Step {
  kind: string;
  name: string;
  ordinal: number;
  label?: string;
  exit_code: number;
  stdout: string;
  message?: string;
}

/** What a replay compares and answers; the ids of events differ. */
const compared = ({ kind, name, ordinal, label, exit_code, stdout, message }: Step) => {
  const output = kind === 'emit' ? stdout.slice(0, 4) : stdout;
  return { kind, name, ordinal, label, exit_code, output, message: exit_code === 0 ? undefined : message };
};

t.test('the test kit of an agent needs no installation', async (t) => {
  const folder = await homeFolder('svc-kit-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const source = `import { sleep, workflow } from 'svc/sdk';
import { testRun } from 'svc/sdk/testing';
const nap = workflow('nap', async (hours: number) => sleep(\`\${hours}h\`));
console.log((await testRun(nap, 2)).elapsedMs);`;
  await writeFile(join(folder, 'nap.ts'), source);
  const env = { PATH: process.env.PATH!, HOME: folder };
  t.equal((await run(svcProgram, ['run', 'nap.ts'], { cwd: folder, env })).stdout, '7200000\n');
});

t.test('a test records what a worker of a server records, and replays its history', async (t) => {
  const folder = await homeFolder('svc-kit-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'node_modules'));
  await symlink(clone, join(folder, 'node_modules/svc'));
  const env = { PATH: process.env.PATH!, HOME: folder };
  const program = join(import.meta.dirname, 'programs/every-call.ts');
  const dev = new Service(svcProgram, ['dev', '--port', '0', '--worker', program], { cwd: folder, env });
  t.teardown(() => dev.kill('SIGTERM'));
  await dev.says(/is ready/);
  const svc = async (...args: string[]) => (await run(svcProgram, args, { cwd: folder, env })).stdout.trim();
  const run_id = await svc('submit', '--function', 'every-call', '--input', 'name=ana');
  await svc('signal', run_id, 'go', '--payload', '{"by":"ana"}');
  const status = JSON.parse(await svc('status', run_id, '--wait', '2m', '--json'));
  t.equal(status.status, 'succeeded', JSON.stringify(status.error));
  const history = JSON.parse(await svc('steps', run_id, '--json')) as { steps: Step[] };

  const input = { name: 'ana' };
  const inMemory = await testRun(everyCall, input, {
    signals: { go: { by: 'ana' } },
    activities: { echo: 'x', later: fail('', { exitCode: 4 }) },
  });
  t.same(inMemory.output, status.output);
  t.same(inMemory.journal.map(compared), history.steps.map(compared));
  t.match(await replayRun(everyCall, history, { input }), { ok: true, outcome: 'same', read: history.steps.length });
});
