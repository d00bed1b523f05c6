import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { openTestDatabase, STORES, until } from '../../../test/kit/index.ts';
import { createGraph, GraphServer, node } from './testing/graph-server.ts';

t.setTimeout(600_000);

/** Two nodes that call the graph again: each generation has twice as many runs as the one before. */
const TWICE = createGraph([node('a', 'workflow', { graph: 'twice' }), node('b', 'workflow', { graph: 'twice' })]);
const NEVER = createGraph([node('wait', 'wait_signal', { name: 'never' })]);

const count = async (graphs: GraphServer, where = ''): Promise<number> => {
  const [row] = await graphs.server.use(Database).read<{ n: number }>(`SELECT COUNT(*) AS n FROM runs_runs ${where}`);
  return Number(row!.n);
};
const open = (graphs: GraphServer) => count(graphs, `WHERE status IN ('queued', 'running', 'waiting')`);
const atRest = (graphs: GraphServer) => until(async () => (await open(graphs)) === 0, { what: 'the runs to be over' });

// @store: a cancel reaches what is called by statements in steps.
for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    t.test('a cancelled graph that calls itself starts nothing more, however deep it is', async (t) => {
      const database = await openTestDatabase(store);
      const graphs = await GraphServer.open({ database });
      t.teardown(async () => {
        await graphs.close();
        await database.drop();
      });
      await graphs.call('PUT /graphs/twice', TWICE);
      const root = await graphs.submit(TWICE);
      await until(async () => (await count(graphs)) > 60, { what: 'some generations' });
      t.match(await graphs.call(`POST /runs/${root}/cancel`, { reason: 'enough' }), { status: 200 });
      const before = await count(graphs);
      await atRest(graphs);
      const after = await count(graphs);
      // What was being made when the cancel was committed: one transaction of each server.
      t.ok(after - before <= 4, `${before} runs at the cancel, ${after} at the end`);
      t.equal(await count(graphs, `WHERE status <> 'cancelled'`), 0, 'all of them were cancelled');
      t.same(await graphs.broken(), []);
    });

    t.test('another server goes on with a cancel whose server is gone', async (t) => {
      const database = await openTestDatabase(store);
      t.teardown(() => database.drop());
      const first = await GraphServer.open({ database, idle: true });
      await first.call('PUT /graphs/never', NEVER);
      const wide = (graph: string) =>
        createGraph(Array.from({ length: 12 }, (_, n) => node(`n${n}`, 'workflow', { graph })));
      await first.call('PUT /graphs/wide', wide('never'));
      const root = await first.submit(wide('wide'));
      t.match(await first.call(`POST /runs/${root}/cancel`, {}), { status: 200 });
      await first.close();
      const second = await GraphServer.open({ database });
      t.teardown(() => second.close());
      await atRest(second);
      t.equal(await count(second, `WHERE status = 'cancelled'`), await count(second));
      t.same(await second.broken(), []);
    });

    t.test('a run and what it calls have a bound of open runs', async (t) => {
      const database = await openTestDatabase(store);
      const graphs = await GraphServer.open({ database, env: { SVC_MAX_CALLED_RUNS: '20' } });
      t.teardown(async () => {
        await graphs.close();
        await database.drop();
      });
      await graphs.call('PUT /graphs/never', NEVER);
      const wide = createGraph([
        node('each', 'fan_out', {
          items: Array.from({ length: 30 }, (_, n) => n),
          concurrency: 30,
          node: { type: 'workflow', config: { graph: 'never' } },
        }),
      ]);
      const root = await graphs.submit(wide);
      await atRest(graphs);
      t.match(await graphs.read(root), {
        status: 'failed',
        error: { code: 'run_limit', message: /SVC_MAX_CALLED_RUNS/ },
      });
      t.equal(await count(graphs), 21, 'the run and the twenty that it might call');
      await graphs.call('PUT /graphs/twice', TWICE);
      const recursive = await graphs.submit(TWICE);
      await atRest(graphs);
      t.match(await graphs.read(recursive), { status: 'failed', error: { message: /run_limit/ } });
      t.same(await graphs.broken(), []);
    });
  });
