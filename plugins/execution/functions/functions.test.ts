import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { checkRuns, until } from '../../../test/kit/index.ts';
import { Database } from '../../../kernel/contracts/index.ts';
import { PROGRAMS, serving } from './testing/world.ts';

t.setTimeout(600_000);

t.test('a function runs as a script does: recorded once, replayed, waiting without a process', async (t) => {
  const world = await serving(t, join(PROGRAMS, 'orders.ts'));
  await t.test('steps, a sleep and a signal', async (t) => {
    const { run_id } = await world.submit('order', { sku: 'a1' });
    await until(async () => (await world.read(run_id)).substate?.kind === 'signal', {
      what: 'the wait for the signal',
    });
    await world.signal(run_id, 'approved', { by: 'ana' });
    t.match(await world.reaches(run_id, 'succeeded'), { output: { id: 'r-a1', by: 'ana' } });
    t.equal(world.ledger().filter((line) => line.startsWith('reserve a1')).length, 1, 'three passes reserve once');
    const log = await world.log(run_id);
    t.match(log, /begin a1/, 'what it prints is in the log of the run');
    t.match(log, /approved by ana/);
  });
  await t.test('fifty runs in one process never mix', async (t) => {
    const runs = await Promise.all(Array.from({ length: 50 }, (_, n) => world.submit('mix', n)));
    for (const [n, { run_id }] of runs.entries()) {
      const { output } = await world.reaches(run_id, 'succeeded');
      t.same(output, { seen: Array.from({ length: 10 }, () => n), both: [n, 0 - n] });
    }
    const log = await world.log(runs[7]!.run_id);
    t.notMatch(log, /line of (?!7\b)/, 'the log of a run has its own lines only');
  });
  await t.test(
    'functions of steps that are called together run at the same time, also in a run with secrets',
    async (t) => {
      const names = ['ana', 'bo', 'cy'];
      const env = { TOKEN: 'sesame' };
      const runs = [world.submit('meet', names), world.submit('meet', names, { env })];
      for (const { run_id } of await Promise.all(runs))
        t.same((await world.reaches(run_id, 'succeeded')).output, names);
      t.equal(world.ledger().filter((line) => line === 'meet bo').length, 2, 'once in each run, whatever is replayed');
      const { run_id } = await world.submit('names-a-secret', null, { env });
      const keys = (await world.reaches(run_id, 'succeeded')).output as string[];
      t.equal(new Set(keys).size, 3, 'a step whose name is masked has the key of its record');
    },
  );
  await t.test('a race keeps its winner on later passes', async (t) => {
    const { run_id } = await world.submit('contest');
    await until(async () => (await world.read(run_id)).substate?.kind === 'signal', { what: 'the wait' });
    await world.signal(run_id, 'approved', { by: 'ana' });
    t.same((await world.reaches(run_id, 'succeeded')).output, { winner: 'quick', by: 'ana' });
    t.same(
      world.ledger().filter((line) => line.startsWith('contest')),
      ['contest aborted'],
    );
  });
  await t.test('a child, staged output, a lock', async (t) => {
    const [parent, staged, locked] = await Promise.all([
      world.submit('parent', 21),
      world.submit('stages'),
      world.submit('locked', 5),
    ]);
    t.same((await world.reaches(parent.run_id, 'succeeded')).output, { twice: 42 });
    t.same((await world.reaches(staged.run_id, 'succeeded')).output, { kept: true });
    t.same((await world.reaches(locked.run_id, 'succeeded')).output, 5);
  });
  await t.test('errors keep their stack and cause, and belong to their run', async (t) => {
    const names = ['fails', 'floats', 'throws-later', 'gives-up'];
    const runs = await Promise.all([...names, 'double'].map((name) => world.submit(name, 1)));
    const [fails, floats, later, gives, fine] = await Promise.all(runs.map(({ run_id }) => world.ended(run_id)));
    t.match(fails!.error, {
      code: 'function_failed',
      message: /^Error: no luck\n.*orders\.ts:\d+:\d+[\s\S]*caused by: Error: the deep cause/,
    });
    t.notMatch(fails!.error!.message, /scripts\/sdk/, 'without the lines of the SDK');
    t.match(floats!.error, { code: 'function_failed', message: /left floating/ });
    t.match(later!.error, { code: 'function_failed', message: /thrown in a timer/ });
    t.match(gives!.error, { code: 'function_failed', message: /for good/ }, 'and no attempt of an hour later');
    t.match(fine, { status: 'succeeded', output: 2 }, 'others in the process continue');
  });
  await t.test('inputs are checked at the submit', async (t) => {
    const refused = await world.submit('order', { sku: 5 });
    t.match(refused, { status: 422, json: { code: 'input_invalid', errors: [{ pointer: '/input/sku' }] } });
    t.match(await world.submit('nobody', 1), { status: 404, json: { code: 'function_unknown' } });
  });
  await t.test('secrets are in the context of the run alone', async (t) => {
    const { run_id } = await world.submit('reads-secret', null, { env: { TOKEN: 'sesame' } });
    t.same((await world.reaches(run_id, 'succeeded')).output, { length: 6, in_environment: 'no' });
    const { run_id: without } = await world.submit('reads-secret');
    t.match((await world.ended(without)).error?.message, /this run has no variable "TOKEN"/);
  });
  await t.test('concurrency', async (t) => {
    const runs = await Promise.all([1, 2, 3].map((n) => world.submit('one-at-a-time', n)));
    for (const { run_id } of runs) await world.reaches(run_id, 'succeeded');
    const lines = world.ledger().filter((line) => /^(in|out) /.test(line));
    const inside = lines.map((line) => line.split(' '));
    for (let i = 0; i < inside.length; i += 2) t.same(inside[i + 1], ['out', inside[i]![1]], 'one after the other');
  });
  await t.test('the list names who serves what', async (t) => {
    const { json } = await world.server.call('viewer', `GET ${world.server.scoped}/functions?limit=3`);
    const { functions, next_cursor } = json as {
      functions: { name: string; workers: string[] }[];
      next_cursor: string;
    };
    t.equal(functions.length, 3);
    t.ok(functions.every(({ workers }) => workers.length === 1));
    const next = await world.server.call(
      'member',
      `GET ${world.server.scoped}/functions?limit=200&cursor=${next_cursor}`,
    );
    t.equal((next.json as { functions: unknown[] }).functions.length, 17, 'the cursor continues after the last one');
  });
  t.same(await checkRuns(world.server.use(Database)), []);
});

t.test('the process of the worker is killed', async (t) => {
  const hold = mkdtempSync(join(tmpdir(), 'hold-'));
  t.teardown(() => rmSync(hold, { recursive: true }));
  const gate = join(hold, 'gate');
  const world = await serving(t, join(PROGRAMS, 'orders.ts'), { env: { HOLD: gate } });
  const names = ['x', 'y', 'z'];
  const runs = await Promise.all(names.map((name) => world.submit('held', { name })));
  const gates = () => world.ledger().filter((line) => line.startsWith('gate'));
  await until(() => gates().length === 3, { what: 'three steps at the gate' });
  process.kill(Number(gates()[0]!.split(' ')[3]), 'SIGKILL');
  await until(() => gates().length === 6, { what: 'the steps to run again' });
  writeFileSync(gate, 'open');
  for (const { run_id } of runs) t.equal((await world.reaches(run_id, 'succeeded')).output, 'through');
  const lines = world.ledger();
  for (const name of names) {
    t.equal(lines.filter((line) => line === `before ${name}`).length, 1, 'a recorded step does not run again');
    const keys = lines.filter((line) => line.startsWith(`gate ${name} `)).map((line) => line.split(' ')[2]);
    t.equal(keys.length, 2);
    t.equal(keys[0], keys[1], 'a repeated one keeps its key');
  }
});
