import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../../test/kit/index.ts';
import { PROGRAMS, serving } from './testing/world.ts';

t.setTimeout(600_000);

function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'worker-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A program whose workflows say which edition of it runs. */
const edition = (name: string) => `
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { step, waitSignal, workflow } from 'svc/sdk';
export const holds = workflow('holds', async (gate) => await step('hold', async () => {
  appendFileSync(process.env.LEDGER, 'hold ${name}\\n');
  while (!existsSync(gate)) await delay(5);
}));
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
    const { json } = await world.server.call('viewer', `GET ${world.server.scoped}/functions`);
    return (json as { functions: { name: string; version: string; workers: string[] }[] }).functions;
  };
  const [before] = (await list()).map(({ version }) => version);
  const [stays, follows, changes] = await Promise.all(
    ['stays', 'follows', 'changes'].map(async (name) => (await world.submit(name)).run_id),
  );
  const waiting = async (run_id: string) => (await world.read(run_id)).substate?.kind === 'signal';
  for (const run_id of [stays!, follows!, changes!]) await until(() => waiting(run_id), { what: 'the wait' });
  const gate = join(folder, 'gate');
  const { run_id: holds } = await world.submit('holds', gate);
  await until(() => world.ledger().length === 1, { what: 'the step to be held' });
  writeFileSync(file, edition('second'));
  await until(async () => (await list()).some(({ version, workers }) => version !== before && workers.length > 0), {
    what: 'the second edition to be served',
  });
  writeFileSync(gate, '');
  await world.reaches(holds, 'succeeded');
  t.same(world.ledger(), ['hold first'], 'a step that the change finds running ends in the former program');
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

/** A program as older SDKs serve it, which know no variables. Its workflow says what it is started with. */
const older = `
import { Socket } from 'node:net';
const socket = new Socket({ fd: Number(process.env.SVC_WORKER_FD) });
const send = (message) => socket.write('0 ' + JSON.stringify(message) + '\\n');
let rest = '';
socket.on('data', (data) => {
  const lines = (rest + data).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const { start, ping } = line.startsWith('0 ') ? JSON.parse(line.slice(2)) : {};
    if (ping !== undefined) send({ pong: ping });
    if (start === undefined) continue;
    const { pass, env } = start;
    send({ end: pass, output: JSON.stringify({ region: env.REGION, told: Object.keys(start).sort() }) });
  }
});
socket.on('close', () => process.exit(0));
send({ register: { protocol: 1, pid: process.pid, functions: [{ name: 'looks', versions: 'replay' }] } });
await new Promise(() => undefined);
`;

t.test('a program that knows no variables still runs, and is told nothing new without them', async (t) => {
  const file = join(folderOf(t), 'flows.mjs');
  writeFileSync(file, older);
  const world = await serving(t, file);
  const known = ['env', 'envelope', 'greeting', 'name', 'pass', 'run_id'];
  const { run_id: without } = await world.submit('looks');
  t.same((await world.reaches(without, 'succeeded')).output, { told: known });
  const value = { value: 'eu' };
  t.equal((await world.server.call('owner', `PUT ${world.server.scoped}/vars/REGION`, value)).status, 201);
  const { run_id } = await world.submit('looks');
  t.same((await world.reaches(run_id, 'succeeded')).output, { region: 'eu', told: [...known, 'vars'] });
});

/** A program that never registers its workflows, and does not end by itself. */
const waiting = `
import { appendFileSync } from 'node:fs';
import 'svc/sdk';
process.on('SIGTERM', () => undefined);
appendFileSync(process.env.LEDGER, \`waits \${process.pid}\\n\`);
await new Promise((settled) => setTimeout(settled, 2 ** 30));
`;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

t.test('a program that never registers ends with the next change, and with the worker', async (t) => {
  const folder = folderOf(t);
  const file = join(folder, 'flows.ts');
  writeFileSync(file, edition('first'));
  const world = await serving(t, file, { env: { SVC_WORKER_RELOAD: 'on' } });
  const pids = () => world.ledger().map((line) => Number(line.split(' ')[1]));
  writeFileSync(file, waiting);
  const first = await until(() => pids()[0], { within_ms: 30_000, what: 'the program that waits' });
  writeFileSync(file, edition('second'));
  await until(() => !isAlive(first), { within_ms: 30_000, what: 'its end' });
  const { run_id } = await world.submit('follows');
  await until(async () => (await world.read(run_id)).substate?.kind === 'signal', { what: 'the second edition' });
  writeFileSync(file, `${waiting}0;`);
  const second = await until(() => pids()[1], { within_ms: 30_000, what: 'the other program that waits' });
  await world.server.close();
  t.notOk(isAlive(second), 'no program outlives its worker');
});

t.test('a file that changes while the first program starts is served', async (t) => {
  const file = join(folderOf(t), 'flows.ts');
  const changed = JSON.stringify(edition('second'));
  const own = `import { writeFileSync as write } from 'node:fs';\nwrite(import.meta.filename, ${changed});\n`;
  writeFileSync(file, `${own}${edition('first')}`);
  const world = await serving(t, file, { env: { SVC_WORKER_RELOAD: 'on' } });
  await until(
    async () => {
      const { run_id } = await world.submit('follows');
      await until(async () => (await world.read(run_id)).substate?.kind === 'signal', { what: 'the wait' });
      await world.signal(run_id, 'go', null);
      const { output } = await world.reaches(run_id, 'succeeded');
      return JSON.stringify(output) === '["second","second"]';
    },
    { what: 'the second edition' },
  );
});

t.test('a function that blocks the event loop keeps its run; stopped, it is killed, and others continue', async (t) => {
  const world = await serving(t, join(PROGRAMS, 'orders.ts'), { env: { SVC_LEASE_MS: '3000' } });
  const { run_id: spins } = await world.submit('spins', 9000);
  await until(() => world.ledger().some((line) => line.startsWith('spinning')), { what: 'the loop to be blocked' });
  const steps = async () => {
    const { json } = await world.server.call('viewer', `GET ${world.server.scoped}/runs/${spins}/steps`);
    return (json as { steps: { kind: string; name: string; label?: string; status: string }[] }).steps;
  };
  const blocked = await until(async () => (await steps()).find(({ kind }) => kind === 'blocked'), {
    what: 'the run to name what blocks the event loop',
  });
  t.match(blocked, { name: 'spins', label: 'the function spins blocks the event loop of its program', running: {} });
  t.match(await world.reaches(spins, 'succeeded'), { output: 'done' }, 'the lease is renewed meanwhile');
  t.equal(world.ledger().filter((line) => line.startsWith('spinning')).length, 1, 'so nothing ran twice');
  t.match(await world.log(spins), /a function blocks its event loop/);
  t.same(
    (await steps()).map(({ kind, status }) => [kind, status]),
    [['step', 'recorded']],
    'nothing is left of it',
  );
  const { run_id: forever } = await world.submit('spins', 600_000);
  await until(() => world.ledger().filter((line) => line.startsWith('spinning')).length === 2);
  const { run_id: other } = await world.submit('double', 4);
  await world.server.call('member', `POST ${world.server.scoped}/runs/${forever}/cancel`, {});
  t.match(await world.reaches(other, 'succeeded'), { output: 8 }, 'the next program runs what waited');
  t.equal((await world.read(forever)).status, 'cancelled');
});
