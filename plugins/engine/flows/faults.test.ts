import t from 'tap';
import { Clock, Database, Expressions, type Transaction } from '../../../kernel/contracts/index.ts';
import { openTestDatabase, type RecordingLog, STORES, testPlugin, until } from '../../../test/kit/index.ts';
import type { ActivityScope } from '../runs/contract.ts';
import { FlowNodes } from './contract.ts';
import type { FlowCoordinator } from './service/coordinator.ts';
import { Resumer } from './service/resumer.ts';
import { FlowServer, node, set, shell } from './testing/flow-server.ts';

t.setTimeout(600_000);

const fault = (): never => {
  throw new ReferenceError('gone is not defined');
};

/** Node types with a fault at their begin and at their end. */
const faulty = testPlugin(
  'faulty',
  (plugin) =>
    plugin.contribute(FlowNodes, () => [
      { type: 'begins-badly', begin: fault },
      {
        type: 'ends-badly',
        begin: () => ({ wait: { kind: 'sleep', name: '', args: null, timeout_ms: 1 } }),
        ended: fault,
      },
    ]),
  { requires: ['flows'] },
);

/** From now on one expression of this server has a fault. */
function breakExpression({ server }: FlowServer, broken: string): void {
  const expressions = server.use(Expressions);
  const compile = expressions.compile.bind(expressions);
  const broke: Expressions['compile'] = (text, roots) => (text === broken ? fault() : compile(text, roots));
  Object.assign(expressions, { compile: broke });
}

const logged = (log: RecordingLog) =>
  log.lines.filter(({ level, fields }) => level === 'error' && fields.err instanceof ReferenceError);

for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const database = await openTestDatabase(store);
    const flows = await FlowServer.open({ database, plugins: [faulty] });
    t.teardown(async () => {
      await flows.close();
      await database.drop();
    });
    const log = flows.server.log;
    t.beforeEach(() => void log.lines.splice(0));

    t.test('a fault of a node type fails the attempt and is logged', async (t) => {
      const begins = await flows.submit({ nodes: [node('begins-badly')('a')] });
      t.match(await flows.read(begins), { status: 'failed', error: { code: 'flow_node_failed' } });
      t.match(logged(log), [{ fields: { run_id: begins, node: 'a' } }]);
      const ends = await flows.submit({
        nodes: [node('ends-badly')('b', null, { fan_out: { items: [1] }, retry: { attempts: 2 } })],
      });
      await flows.sweep(10);
      await flows.sweep(10);
      t.match(await flows.read(ends), { status: 'failed', error: { code: 'flow_node_failed' } });
      t.match(logged(log).slice(1), [{ fields: { run_id: ends, node: 'b[0]' } }, { fields: { run_id: ends } }]);
      t.equal(logged(log).length, 3);
      t.same(await flows.broken(), []);
    });

    t.test('a fault in the output of a run fails the run and is logged', async (t) => {
      breakExpression(flows, 'input.faulty');
      const run_id = await flows.submit({ nodes: [shell('a')], output: { text: 'input.faulty' } });
      await flows.end((await flows.claim())[0]!);
      t.match(await flows.read(run_id), { status: 'failed', error: { code: 'flow_output_failed' } });
      t.match(logged(log), [{ fields: { run_id } }]);
      t.same(await flows.broken(), []);
    });

    t.test('a wait is limited by the timeout of its node', async (t) => {
      const run_id = await flows.submit({
        nodes: [
          node('delay')('long', { ms: 60_000 }, { timeout_ms: 10, retry: { attempts: 2 }, continue_on_error: true }),
          node('delay')('short', { ms: 10 }, { timeout_ms: 60_000 }),
        ],
        output: { text: '[nodes.long.error.code, nodes.short.status]', reads: ['long', 'short'] },
      });
      await flows.sweep(30);
      await flows.sweep(30);
      t.match(await flows.read(run_id), { status: 'succeeded', output: ['flow_node_timeout', 'succeeded'] });
      t.match((await flows.nodes(run_id)).long, { attempt: 2, state: 'failed' });
      t.same(await flows.broken(), []);
    });

    t.test('flows that cannot continue do not block others', async (t) => {
      const server = flows.server;
      const runs: string[] = [];
      for (let n = 0; n < 21; n++) {
        const run_id = await flows.submit({ nodes: [shell('a'), set('b')] });
        const sql = `UPDATE flows_flows SET todo = '[]', resume_at = ? WHERE run_id = ?`;
        await server.use(Database).write(sql, [n, run_id]);
        runs.push(run_id);
      }
      const tried = new Map<string, number>();
      const resumer = resumerOf(flows, async ({ run_id }, tx) => {
        tried.set(run_id, (tried.get(run_id) ?? 0) + 1);
        if (run_id !== runs.at(-1)) fault();
        await tx.write('UPDATE flows_flows SET todo = NULL, resume_at = NULL WHERE run_id = ?', [run_id]);
      });
      const stop = resumer.start();
      await until(() => tried.has(runs.at(-1)!), { what: 'the turn of the flow that can continue', within_ms: 20_000 });
      await until(() => tried.get(runs[0]!) === 2, { what: 'the second try of a flow', within_ms: 20_000 });
      await stop();
      t.match(
        logged(log).filter(({ fields }) => fields.run_id === runs[0]),
        [{ fields: { failures: 1, pause_ms: 500 } }, { fields: { failures: 2, pause_ms: 1000 } }],
      );
    });
  });

/** A resumer whose flows continue as a test says. */
function resumerOf({ server }: FlowServer, work: (scope: ActivityScope, tx: Transaction) => Promise<void>): Resumer {
  const database = server.use(Database);
  const advance = (scope: ActivityScope) => database.transaction((tx) => work(scope, tx));
  const { log } = server;
  return new Resumer({
    database,
    runs: { advance },
    coordinator: {} as FlowCoordinator,
    clock: server.use(Clock),
    log,
  });
}
