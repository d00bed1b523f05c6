import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../../test/kit/index.ts';
import { AgentProcesses } from '../agents/testing/agent-processes.ts';
import { PROGRAMS, serving } from './testing/world.ts';

t.setTimeout(600_000);

const CLI = resolve(import.meta.dirname, '../../../cli/svc');

function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'worker-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A program whose workflows say which edition of it runs. */
const edition = (name: string) => `
import { step, waitSignal, workflow } from 'svc/sdk';
const body = async () => {
  const began = await step('begin', () => '${name}');
  await waitSignal('go');
  return [began, await step('end', () => '${name}')];
};
export const stays = workflow('stays', { versions: 'pinned' }, body);
export const follows = workflow('follows', body);
export const changes = workflow('changes', async () => {
  await step('${name === 'first' ? 'one' : 'another'}', () => 1);
  await waitSignal('go');
});
`;

t.test('versions: a changed file is served at once, and a pinned run waits for its own', async (t) => {
  const folder = folderOf(t);
  const file = join(folder, 'flows.ts');
  writeFileSync(file, edition('first'));
  const world = await serving(t, file, { env: { SVC_WORKER_RELOAD: 'on' } });
  const list = async () => {
    const { json } = await world.server.call('member', `GET ${world.server.scoped}/functions`);
    return (json as { functions: { name: string; version: string; workers: string[] }[] }).functions;
  };
  const [before] = (await list()).map(({ version }) => version);
  const [stays, follows, changes] = await Promise.all(
    ['stays', 'follows', 'changes'].map(async (name) => (await world.submit(name)).run_id),
  );
  const waiting = async (run_id: string) => (await world.read(run_id)).substate?.kind === 'signal';
  for (const run_id of [stays!, follows!, changes!]) await until(() => waiting(run_id), { what: 'the wait' });
  writeFileSync(file, edition('second'));
  await until(async () => (await list()).some(({ version, workers }) => version !== before && workers.length > 0), {
    what: 'the second edition to be served',
  });
  for (const run_id of [stays!, follows!, changes!]) await world.signal(run_id, 'go', null);
  t.same((await world.reaches(follows!, 'succeeded')).output, ['first', 'second'], 'it continues with the newest');
  const { error } = await world.ended(changes!);
  t.match(error, { code: 'determinism_violation', message: /one#0/ }, 'the guard names the call that changed');
  t.match(error?.message, /another/);
  const { json } = await world.server.call('member', `GET ${world.server.scoped}/runs/${stays}`);
  t.match(
    json,
    { status: 'running', requires: [`function:stays:${before}`], claims: [] },
    'a pinned run waits for its version',
  );
  writeFileSync(file, edition('first'));
  t.same((await world.reaches(stays!, 'succeeded')).output, ['first', 'first']);
});

t.test('a function that blocks the event loop keeps its run; stopped, it is killed, and others continue', async (t) => {
  const world = await serving(t, join(PROGRAMS, 'orders.ts'), { env: { SVC_LEASE_MS: '3000' } });
  const { run_id: spins } = await world.submit('spins', 7000);
  await until(() => world.ledger().some((line) => line.startsWith('spinning')), { what: 'the loop to be blocked' });
  t.match(await world.reaches(spins, 'succeeded'), { output: 'done' }, 'the lease is renewed meanwhile');
  t.equal(world.ledger().filter((line) => line.startsWith('spinning')).length, 1, 'so nothing ran twice');
  t.match(await world.log(spins), /a function blocks its event loop/);
  const { run_id: forever } = await world.submit('spins', 600_000);
  await until(() => world.ledger().filter((line) => line.startsWith('spinning')).length === 2);
  const { run_id: other } = await world.submit('double', 4);
  await world.server.call('member', `POST ${world.server.scoped}/runs/${forever}/cancel`, {});
  t.match(await world.reaches(other, 'succeeded'), { output: 8 }, 'the next program runs what waited');
  t.equal((await world.read(forever)).status, 'cancelled');
});

t.test('svc worker and serve() in a program of its own, over the network', async (t) => {
  const machine = await AgentProcesses.opened(t);
  const folder = folderOf(t);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    SVC_URL: machine.server.url,
    SVC_TOKEN: machine.agent,
    SVC_LOG_LEVEL: 'warn',
  };
  const runs = '/api/v1/orgs/acme/projects/main/runs';
  const submit = (name: string) => machine.call('POST', `${runs}?wait=30s`, { function: name, input: 20 });
  const started = (command: string, args: string[]) => {
    const child = spawn(command, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += String(data)));
    const exited = new Promise<number | null>((ended) => child.once('exit', ended));
    t.teardown(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    return { child, exited, said: () => said };
  };
  const program = (name: string) => `
    import { serve, step, workflow } from '${resolve(import.meta.dirname, '../scripts/sdk/sdk.mjs')}';
    workflow('${name}', async (n) => step('half', () => n / 2));
    const served = await serve({ svc: '${CLI}' });
    console.log('serving');
    await served.closed;
  `;
  writeFileSync(join(folder, 'flow.mjs'), program('by-worker'));
  writeFileSync(join(folder, 'server.mjs'), program('by-itself'));

  const worker = started(CLI, ['worker', 'flow.mjs', '--name', 'w1']);
  await until(() => worker.said().includes('svc worker serves'), { what: 'the worker' });
  t.match(await submit('by-worker'), { status: 201, json: { status: 'succeeded', output: 10 } });
  worker.child.kill('SIGTERM');
  t.equal(await worker.exited, 0, 'a worker drains and ends');

  const own = started(process.execPath, ['server.mjs']);
  await until(() => own.said().includes('serving'), { what: 'the program to serve' });
  t.match(await submit('by-itself'), { status: 201, json: { status: 'succeeded', output: 10 } });
  own.child.kill('SIGKILL');
  await own.exited;
  await until(
    async () => {
      const { json } = await machine.call('GET', '/api/v1/orgs/acme/projects/main/functions');
      return json.functions.every(({ workers }: { workers: string[] }) => workers.length === 0);
    },
    { what: 'its worker to end with it' },
  );
});

t.test('a program that does not start, or registers nothing valid, fails the start with the reason', async (t) => {
  const machine = await AgentProcesses.opened(t);
  const folder = folderOf(t);
  const run = async (source: string) => {
    writeFileSync(join(folder, 'bad.mjs'), source);
    const env = { PATH: process.env.PATH ?? '', HOME: folder, SVC_URL: machine.server.url, SVC_TOKEN: machine.agent };
    const child = spawn(CLI, ['worker', 'bad.mjs'], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += String(data)));
    const code = await new Promise((ended) => child.once('exit', ended));
    return { code, said };
  };
  t.match(await run('throw new Error("broken at the top");'), {
    code: 1,
    said: /broken at the top[\s\S]*worker_not_started/,
  });
  t.match(await run('export const nothing = 1;'), { code: 1, said: /serve found no workflow/ });
  const twice = "import { workflow } from 'svc/sdk'; workflow('a', () => 1); workflow('a', () => 2);";
  t.match(await run(twice), { code: 1, said: /two workflows with the name "a"/ });
  const schema = "import { workflow } from 'svc/sdk'; workflow('a', { input: { type: 'nothing' } }, () => 1);";
  t.match(await run(schema), { code: 1, said: /functions_invalid/ });
});
