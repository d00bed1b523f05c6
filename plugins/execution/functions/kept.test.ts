import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { checkRuns, until } from '../../../test/kit/index.ts';
import { Database } from '../../../kernel/contracts/index.ts';
import { serving } from './testing/world.ts';

t.setTimeout(600_000);

/** Each pass from the first line on is noted, and so is what becomes of a pass that is let go of. */
const PROGRAM = `
import { appendFileSync } from 'node:fs';
import { lock, sleep, step, vars, waitSignal, workflow } from 'svc/sdk';
const note = (line) => appendFileSync(process.env.LEDGER, line + '\\n');
export const talk = workflow('talk', async ({ name }, { signal, env }) => {
  note('begin ' + name);
  signal.addEventListener('abort', () => note('gone ' + name));
  console.log('begin ' + name);
  const id = await step('id', () => (note('id ' + name), 'id-' + name));
  const heard = [];
  for (let i = 0; i < 2; i++) heard.push((await waitSignal('say')).word);
  console.log('heard ' + heard.join(' '));
  return await step('end', () => ({ id, heard, env: env.WORD ?? null }));
});
export const nap = workflow('nap', async ({ name, ms }) => {
  note('begin ' + name);
  await sleep(ms);
  await lock('group', () => note('held ' + name));
  await sleep(ms);
});
export const places = workflow('places', async (_input, context) => {
  note('begin places');
  const before = vars().REGION;
  await waitSignal('say');
  return [before, vars().REGION, context.vars.REGION, vars().LATER ?? null];
});
export const quick = workflow('quick', async () => 'done');
export const careless = workflow('careless', async ({ name }) => {
  note('begin ' + name);
  void waitSignal('say').then(({ word }) => note('careless ' + word));
  await new Promise((resolve) => setTimeout(resolve, 2000));
  return name;
});
export const tells = workflow('tells', async () => await step('tell', () => note('pid ' + process.pid)));
`;

async function talking(t: Test, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'flows.mjs');
  writeFileSync(file, PROGRAM);
  const world = await serving(t, file, { env });
  const waits = async (run_id: string, steps: number) =>
    await until(
      async () => {
        if ((await world.read(run_id)).substate?.kind !== 'signal') return false;
        const { json } = await world.server.call('member', `GET ${world.server.scoped}/runs/${run_id}/steps`);
        return (json as { steps: unknown[] }).steps.length >= steps;
      },
      { what: `the wait of ${run_id}` },
    );
  const start = async (name: string) => {
    const { run_id } = await world.submit('talk', { name });
    await waits(run_id, 1);
    return run_id;
  };
  const say = (run_id: string, word: string) => world.signal(run_id, 'say', { word });
  const finish = async (run_id: string, words = ['a', 'b']) => {
    await say(run_id, words[0]!);
    await waits(run_id, 2);
    await say(run_id, words[1]!);
    return await world.reaches(run_id, 'succeeded');
  };
  const count = (line: string) => world.ledger().filter((one) => one === line).length;
  return { world, file, start, waits, say, finish, count };
}

t.test('a run that is woken soon continues after its wait, and is recorded as one that is replayed', async (t) => {
  const { world, start, finish, count } = await talking(t);
  const run_id = await start('ana');
  t.match(await finish(run_id), { output: { id: 'id-ana', heard: ['a', 'b'] } });
  t.equal(count('begin ana'), 1, 'its function was called once');
  t.equal(count('id ana'), 1);
  const log = await world.log(run_id);
  t.equal(log.split('begin ana').length, 2, 'what it has printed once is there once');
  t.match(log, /heard a b/, 'and what it prints afterwards as well');
  const nap = await world.submit('nap', { name: 'nap', ms: 20 });
  await world.reaches(nap.run_id, 'succeeded');
  t.same([count('begin nap'), count('held nap')], [1, 1], 'all waits are alike');
  t.same(await checkRuns(world.server.use(Database)), []);
});

for (const [keep, passes] of [
  ['60s', 1],
  ['off', 2],
] as const)
  t.test(`a run keeps its variables, and a change of them drops no function that waits (${keep})`, async (t) => {
    const { world, waits, say, count } = await talking(t, { SVC_WORKER_KEEP: keep });
    const set = async (name: string, value: string) => {
      const { status } = await world.server.call('owner', `PUT ${world.server.scoped}/vars/${name}`, { value });
      t.ok(status < 300, name);
    };
    await set('REGION', 'first');
    const { run_id } = await world.submit('places');
    await waits(run_id, 0);
    await set('REGION', 'second');
    await set('LATER', 'x');
    await say(run_id, 'go');
    t.same((await world.reaches(run_id, 'succeeded')).output, ['first', 'first', 'first', null]);
    t.equal(count('begin places'), passes);
    const next = await world.submit('places');
    await waits(next.run_id, 0);
    await say(next.run_id, 'go');
    t.same((await world.reaches(next.run_id, 'succeeded')).output, ['second', 'second', 'second', 'x']);
  });

t.test('a waiting run takes no slot', async (t) => {
  const { world, start, finish, count } = await talking(t, { SVC_AGENT_SLOTS: '1' });
  const runs = [await start('one'), await start('two'), await start('three')];
  await world.reaches((await world.submit('quick')).run_id, 'succeeded');
  for (const run_id of runs) await finish(run_id);
  t.same(
    ['one', 'two', 'three'].map((name) => count(`begin ${name}`)),
    [1, 1, 1],
  );
});

t.test('after its time, and with `off`, a run is replayed', async (t) => {
  const short = await talking(t, { SVC_WORKER_KEEP: '50ms' });
  const run_id = await short.start('ana');
  await until(async () => short.count('gone ana') === 1, { what: 'the function to be let go of' });
  await short.finish(run_id);
  t.ok(short.count('begin ana') >= 2);
  t.equal(short.count('id ana'), 1);
  const off = await talking(t, { SVC_WORKER_KEEP: 'off' });
  await off.finish(await off.start('bo'));
  t.equal(off.count('begin bo'), 3, 'a pass for each wait and one more');
});

t.test('of too many waiting functions, the oldest is let go of', async (t) => {
  const { world, start, finish, count } = await talking(t, { SVC_WORKER_KEPT: '2' });
  const first = await start('first');
  const others = [await start('second'), await start('third')];
  await until(async () => count('gone first') === 1, { what: 'the oldest to be let go of' });
  for (const run_id of others) await finish(run_id);
  await finish(first);
  t.same(
    ['first', 'second', 'third'].map((name) => count(`begin ${name}`)),
    [2, 1, 1],
  );
  t.same(await checkRuns(world.server.use(Database)), []);
});

t.test('a run that is cancelled while it waits is let go of at once', async (t) => {
  const { world, start, count } = await talking(t, { SVC_WORKER_KEEP: '60s' });
  const run_id = await start('ana');
  await world.server.call('member', `POST ${world.server.scoped}/runs/${run_id}/cancel`, {});
  await until(async () => count('gone ana') === 1, { within_ms: 5000, what: 'the function to be let go of' });
  await world.reaches(run_id, 'cancelled');
});

t.test('a program that ends, and one that is replaced, keep nothing', async (t) => {
  const { world, file, start, finish, count } = await talking(t, { SVC_WORKER_KEEP: '60s', SVC_WORKER_RELOAD: 'on' });
  const run_id = await start('ana');
  await world.reaches((await world.submit('tells')).run_id, 'succeeded');
  const pid = world.ledger().find((line) => line.startsWith('pid'))!;
  process.kill(Number(pid.split(' ')[1]), 'SIGKILL');
  await finish(run_id);
  t.ok(count('begin ana') >= 2, 'another program called its function');
  const next = await start('bo');
  const version = async () => {
    const { json } = await world.server.call('viewer', `GET ${world.server.scoped}/functions`);
    const { functions } = json as { functions: { name: string; version: string; workers: string[] }[] };
    return functions.find(({ name, workers }) => name === 'talk' && workers.length > 0)?.version;
  };
  const before = await version();
  writeFileSync(file, PROGRAM.replace("note('begin '", "note('again '"));
  await until(async () => ![before, undefined].includes(await version()), {
    within_ms: 20_000,
    what: 'the new version',
  });
  await finish(next);
  t.ok(count('again bo') >= 1, 'the new program continues with it');
});

t.test('a function that ends while its run waits is called again', async (t) => {
  const { world, say, count } = await talking(t, { SVC_WORKER_KEEP: '60s' });
  const { run_id } = await world.submit('careless', { name: 'eve' });
  await until(async () => (await world.read(run_id)).substate?.kind === 'signal', { what: 'the wait' });
  await say(run_id, 'late');
  t.match(await world.ended(run_id), { status: 'succeeded', output: 'eve' });
  t.ok(count('begin eve') <= 2);
});
