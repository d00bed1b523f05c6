import t, { type Test } from 'tap';
import { systemClock, until } from '../../../../test/kit/index.ts';
import { compileInWorker, siblingModule } from '../contract.ts';
import { DocumentWorkerPool, type WorkerLimits } from './pool.ts';

const module = siblingModule(import.meta.url, './tasks.testsuite');

function poolOf(t: Test, bounds: Partial<WorkerLimits> = {}): DocumentWorkerPool {
  const pool = new DocumentWorkerPool(systemClock, bounds);
  t.teardown(() => pool.close());
  return pool;
}

const task = (name: string, args: unknown[] = [], project_id = 'prj_1', org_id = 'org_1') => ({
  module,
  name,
  args,
  scope: { org_id, project_id },
});

t.setTimeout(120_000);

t.test('a function is called in a thread, which is kept for the next one', async (t) => {
  const pool = poolOf(t);
  t.equal(pool.size, 0, 'none starts before there is work');
  t.same(await pool.run(task('answer', ['x + 1'])), { ok: true, value: 21 });
  t.equal(await pool.run(task('count')), 1);
  t.equal(await pool.run(task('count')), 2);
  t.equal(pool.size, 1);
});

t.test('a document that takes too much processor time is refused, and its thread ends', async (t) => {
  const pool = poolOf(t, { cpu_ms: 300 });
  const refused = { code: 'document_too_costly', status: 400, message: /0\.3 s/ };
  await t.rejects(pool.run(task('spin')), refused);
  await until(() => pool.size === 0);
  t.equal(await pool.run(task('count')), 1, 'the next one has a new thread');
});

t.test('a document that takes too much memory is refused', async (t) => {
  const pool = poolOf(t, { memory_mb: 64 });
  await t.rejects(pool.run(task('fill')), { code: 'document_too_costly', message: /64 MiB/ });
  t.equal(await pool.run(task('count')), 1);
});

t.test('a fault of the code is no fault of the document', async (t) => {
  const pool = poolOf(t);
  await t.rejects(pool.run(task('fail')), { name: 'TypeError', message: 'a fault of the code' });
  t.equal(await pool.run(task('count')), 1);
});

t.test('projects take turns', async (t) => {
  const pool = poolOf(t);
  const order: string[] = [];
  const ask = (name: string, project_id: string) =>
    pool.run<string>(task('slowly', [name], project_id)).then((done) => order.push(done));
  const asked = ['a1', 'a2', 'a3', 'a4'].map((name) => ask(name, 'prj_a'));
  await Promise.all([...asked, ask('b1', 'prj_b'), ask('c1', 'prj_c'), ask('b2', 'prj_b')]);
  t.same(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

t.test('orgs take turns, however many projects one of them has', async (t) => {
  const pool = poolOf(t);
  const order: string[] = [];
  const ask = (name: string, project_id: string, org_id: string) =>
    pool.run<string>(task('slowly', [name], project_id, org_id)).then((done) => order.push(done));
  const asked = ['a1', 'a2', 'a3', 'a4'].map((name) => ask(name, `prj_${name}`, 'org_a'));
  await Promise.all([
    ...asked,
    ask('a5', 'prj_a2', 'org_a'),
    ask('b1', 'prj_b1', 'org_b'),
    ask('b2', 'prj_b2', 'org_b'),
  ]);
  t.same(order, ['a1', 'a2', 'b1', 'a3', 'b2', 'a4', 'a5']);
});

t.test('a project that asks for too much waits, and others do not', async (t) => {
  const pool = poolOf(t, { waiting: 2 });
  const asked = ['a1', 'a2', 'a3', 'a4'].map((name) => pool.run(task('slowly', [name], 'prj_a')));
  const other = pool.run(task('slowly', ['b1'], 'prj_b'));
  const results = await Promise.allSettled(asked);
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
  );
  t.match((results[3] as PromiseRejectedResult).reason, { code: 'rate_limited', status: 429 });
  t.equal(await other, 'b1');
});

t.test('a thread without work ends', async (t) => {
  const pool = poolOf(t, { idle_ms: 1 });
  await pool.run(task('count'));
  await until(() => pool.size === 0);
  t.equal(await pool.run(task('count')), 1);
});

t.test('a stop refuses what waits and what is under way, and leaves no thread', async (t) => {
  const pool = poolOf(t);
  const asked = Promise.allSettled([pool.run(task('spin')), pool.run(task('spin')), pool.run(task('spin', [], 'b'))]);
  await pool.close();
  for (const one of await asked) t.match((one as PromiseRejectedResult).reason, { code: 'unavailable', status: 503 });
  t.equal(pool.size, 0);
  await t.rejects(pool.run(task('count')), { code: 'unavailable' });
});

t.test('expressions in great number', async (t) => {
  const pool = poolOf(t);
  const wanted = ['x.a + x.b', 'y', 'x +'].map((text) => ({ text, roots: ['x'] }));
  const [good, unknown, broken] = await compileInWorker(pool, { org_id: 'org_1', project_id: 'prj_1' }, wanted, ['x']);
  t.match(good, { problems: [], uses: { x: [{ member: 'a' }, { member: 'b', line: 1, column: 7 }] } });
  t.match(unknown!.problems, [{ line: 1, column: 1 }]);
  t.match(broken!.problems, [{ line: 1 }]);
});
