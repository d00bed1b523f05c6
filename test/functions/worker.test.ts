import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';
import { AgentProcesses } from '../../plugins/execution/agents/testing/agent-processes.ts';
import { until } from '../kit/index.ts';

t.setTimeout(600_000);

const CLI = resolve(import.meta.dirname, '../../cli/svc');
const SDK = resolve(import.meta.dirname, '../../plugins/execution/scripts/sdk/sdk.mjs');

function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'worker-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

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
    import { serve, step, workflow } from '${SDK}';
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

t.test('the token of an owner is enough: the worker has an agent token while it lives', async (t) => {
  const machine = await AgentProcesses.opened(t);
  const folder = folderOf(t);
  writeFileSync(
    join(folder, 'flow.mjs'),
    `import { workflow } from '${SDK}';\nworkflow('doubled', async (n) => n * 2);\n`,
  );
  const start = (token: string) => {
    const place = { SVC_URL: machine.server.url, SVC_ORG: 'acme', SVC_PROJECT: 'main', SVC_LOG_LEVEL: 'warn' };
    const env = { PATH: process.env.PATH ?? '', HOME: folder, SVC_TOKEN: token, ...place };
    const child = spawn(CLI, ['worker', 'flow.mjs'], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += String(data)));
    const exited = new Promise<number | null>((ended) => child.once('close', ended));
    t.teardown(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    return { child, exited, said: () => said };
  };
  const ofWorkers = async () => {
    const { json } = await machine.call('GET', '/api/v1/tokens');
    return json.tokens.filter(({ name }: { name: string }) => name.startsWith('worker-'));
  };
  const worker = start(machine.user);
  await until(() => worker.said().includes('svc worker serves'), { what: 'the worker' });
  t.match(await ofWorkers(), [{ kind: 'agent', org: 'acme', project: 'main', expires_at: String }]);
  const run = { function: 'doubled', input: 4 };
  const submitted = await machine.call('POST', '/api/v1/orgs/acme/projects/main/runs?wait=30s', run);
  t.match(submitted, { json: { status: 'succeeded', output: 8 } });
  worker.child.kill('SIGTERM');
  t.equal(await worker.exited, 0);
  t.same(await ofWorkers(), [], 'its token has ended with it');

  const limited = { name: 'limited', org: 'acme', project: 'main', role: 'member' };
  const member = (await machine.call('POST', '/api/v1/tokens', limited)).json.token as string;
  const refused = start(member);
  t.equal(await refused.exited, 1);
  t.match(refused.said(), /only an owner of acme can create \(agent_token_missing\)/);
  t.match(
    refused.said(),
    /svc token create worker --agent --org acme > agent\.token; then: svc worker flow\.mjs --token-file agent\.token/,
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
