import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { bootEngine, checkRuns, type EngineServer, openTestDatabase, STORES, until } from '../../../test/kit/index.ts';
import { readOpenRunLimits } from './domain/open-run-limits.ts';
import { type Claimed, type Json, RunEngine, RunStore } from './contract.ts';

t.setTimeout(600_000);

const submit = (server: EngineServer, body: object = {}) =>
  server.call('member', `POST ${server.scoped}/runs`, { source: 'true', filename: 'a.sh', ...body });

const cancel = (server: EngineServer, run_id: string) =>
  server.call('member', `POST ${server.scoped}/runs/${run_id}/cancel`, {});

const verb = (kind: string, position: number, args: Json) => ({
  ...{ position, kind, name: `${kind} ${position}`, ordinal: 0, digest: '', args, started_at: 0 },
});

const spawn = { source: 'true', filename: 'b.sh' };

const openRuns = async (server: EngineServer): Promise<number> => {
  const [row] = await server
    .use(Database)
    .read<{ n: number }>(`SELECT COUNT(*) AS n FROM runs_runs WHERE status IN ('queued', 'running', 'waiting')`);
  return Number(row!.n);
};

t.test('a limit is a whole number', async (t) => {
  t.same(readOpenRunLimits({}), { open: 100_000, called: 1000 });
  t.same(readOpenRunLimits({ SVC_MAX_OPEN_RUNS: ' 7 ', SVC_MAX_CALLED_RUNS: '' }), { open: 7, called: 1000 });
  for (const text of ['0', '-1', '1.5', 'many', '10000001'])
    t.throws(() => readOpenRunLimits({ SVC_MAX_CALLED_RUNS: text }), {
      code: 'setting_invalid',
      message: /SVC_MAX_CALLED_RUNS is .*; it must be a whole number from 1 to 10000000/,
    });
  await t.rejects(bootEngine({ env: { SVC_MAX_OPEN_RUNS: 'all' } }), { code: 'setting_invalid' });
});

// @store: the bound is counted by statements.
for (const store of STORES) {
  t.test(`${store}: a project has a bound of open runs`, async (t) => {
    const server = await bootEngine({ store, env: { SVC_MAX_OPEN_RUNS: '4' } });
    t.teardown(() => server.close());
    const first = await submit(server, { idempotency_key: 'once' });
    const made = [];
    for (let n = 0; n < 3; n++) made.push(await submit(server));
    t.same(
      [first, ...made].map(({ status }) => status),
      [201, 201, 201, 201],
    );
    const refused = await submit(server);
    t.match(refused, {
      status: 429,
      json: {
        code: 'run_limit',
        detail: 'the project has 4 open runs, which is the limit (SVC_MAX_OPEN_RUNS)',
      },
    });
    t.match(refused.headers.get('retry-after'), /^\d+$/);
    t.match(await submit(server, { idempotency_key: 'once' }), { status: 200, json: { duplicate: true } }, 'a repeat');
    t.equal(await openRuns(server), 4);
    await cancel(server, made[0]!.json.run_id);
    t.match(await submit(server), { status: 201 });
    t.match(await submit(server), { status: 429 });
    const rerun = await server.call('member', `POST ${server.scoped}/runs/${made[0]!.json.run_id}/rerun`, {});
    t.match(rerun, { status: 429, json: { code: 'run_limit' } });

    // Of several at once, those for which there is room are made.
    await cancel(server, made[1]!.json.run_id);
    const together = await Promise.all(Array.from({ length: 5 }, () => submit(server)));
    t.same(together.map(({ status }) => status).toSorted(), [201, 429, 429, 429, 429]);
    t.equal(await openRuns(server), 4);
    t.same(await checkRuns(server.use(Database)), []);
  });

  t.test(`${store}: a script is told of the refusal and goes on`, async (t) => {
    const server = await bootEngine({ store, plugins: ['children'], env: { SVC_MAX_OPEN_RUNS: '2' } });
    t.teardown(() => server.close());
    await server.use(RunEngine).submit(server.submit());
    const claim = await server.claim();
    const runs = server.use(RunStore);
    t.match(await runs.perform(claim, verb('spawn', 0, spawn)), { exit_code: 0 });
    const refused = await runs.perform(claim, verb('spawn', 1, spawn));
    t.match(refused, { exit_code: 1, output: '', message: /2 open runs.*\(run_limit\)/ });
    t.same(await runs.perform(claim, verb('spawn', 1, spawn)), refused, 'the refusal is recorded');
    t.match(await runs.park(claim, verb('call', 2, spawn)), { record: { exit_code: 1, message: /\(run_limit\)/ } });
    await server.agent.end(claim);
    t.equal(await openRuns(server), 1);
    t.same(await checkRuns(server.use(Database)), []);
  });

  t.test(`${store}: several servers keep to it together, but for what they make at once`, async (t) => {
    const database = await openTestDatabase(store);
    const options = { database, env: { SVC_MAX_OPEN_RUNS: '24' } };
    const servers = [await bootEngine(options), await bootEngine(options)] as const;
    t.teardown(async () => {
      for (const server of servers) await server.close();
      await database.drop();
    });
    const [one, other] = servers;
    const answers = [];
    for (let n = 0; n < 30; n++)
      for (const server of servers)
        answers.push((await submit({ ...server, scoped: one.scoped } as EngineServer)).status);
    const made = answers.filter((status) => status === 201).length;
    t.ok(made >= 24 && made <= 24 + 3, `${made} were made`);
    t.equal(await openRuns(other), made);
    t.match(await submit(other), { status: 429 });
  });

  t.test(`${store}: a run that is to be cancelled with its caller starts nothing`, async (t) => {
    const server = await bootEngine({ store, plugins: ['children'] });
    t.teardown(() => server.close());
    const runs = server.use(RunStore);
    const claimed = (): Promise<Claimed> => until(() => server.agent.claim(1).then(([one]) => one));
    await server.use(RunEngine).submit(server.submit());
    const root = await claimed();
    await runs.park(root, verb('call', 0, spawn));
    const child = await claimed();
    await runs.park(child, verb('call', 0, spawn));
    const grandchild = await claimed();
    // Nothing works in the background here, so that the cancel stays where it was asked for.
    t.match(await cancel(server, root.run_id), { status: 200 });
    t.match(await runs.park(grandchild, verb('call', 0, spawn)), { parked: true }, 'it waits for its cancel');
    t.equal(await openRuns(server), 2);
    const [calls] = await server
      .use(Database)
      .read<{ n: number }>('SELECT COUNT(*) AS n FROM runs_calls WHERE run_id = ?', [grandchild.run_id]);
    t.equal(Number(calls!.n), 0);
  });

  t.test(`${store}: neither does it spawn`, async (t) => {
    const server = await bootEngine({ store, plugins: ['children'] });
    t.teardown(() => server.close());
    const runs = server.use(RunStore);
    await server.use(RunEngine).submit(server.submit());
    const root = await server.claim();
    await runs.park(root, verb('call', 0, spawn));
    const child = await server.claim();
    await cancel(server, root.run_id);
    await t.rejects(runs.perform(child, verb('spawn', 0, spawn)), { code: 'lease_lost' });
    t.equal(await openRuns(server), 1);
  });
}
