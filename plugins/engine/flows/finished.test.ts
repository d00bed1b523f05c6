import t from 'tap';
import { Database, Sealer } from '../../../kernel/contracts/index.ts';
import { STORES } from '../../../test/kit/index.ts';
import { Prunables } from '../../platform/retention/contract.ts';
import { Activities } from '../runs/contract.ts';
import { insertFinishedFlow } from './store/finished-flow.ts';
import { expr, failing, FlowServer, node, set } from './testing/flow-server.ts';

t.setTimeout(600_000);

const delayed = node('delay')('b', { ms: 3_600_000 });

const TABLES = ['flows_finished', 'flows_flows', 'flows_lists', 'flows_nodes'] as const;

for (const store of STORES)
  t.test(`flows that end with their submit, on ${store}`, { timeout: 600_000 }, async (t) => {
    const flows = await FlowServer.openFor(t, { store });
    const { server } = flows;
    const database = server.use(Database);
    const rowsOf = async (run_id: string) => {
      const counts = [];
      for (const table of TABLES) {
        const [row] = await database.read<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE run_id = ?`, [
          run_id,
        ]);
        counts.push(row!.n);
      }
      return counts;
    };
    const steps = async (run_id: string, query = '') =>
      (await server.call('viewer', `GET ${server.scoped}/runs/${run_id}/steps?${query}`)).json;

    await t.test('has no row but that of its run, and lists show the same as of any other', async (t) => {
      const run_id = await flows.submit(
        {
          nodes: [
            set('first', { exact: expr('9007199254740993'), text: 'é\u0000"\\' }),
            set('second', expr('nodes.first.output.exact + 1'), { needs: ['first'] }),
            set('never', 1, { needs: ['second'], if: { text: 'false' } }),
            failing('fails', 9, { continue_on_error: true }),
          ],
          output: { text: 'nodes.second.output', reads: ['second'] },
        },
        null,
      );
      t.equal((await flows.read(run_id)).status, 'succeeded');
      t.same(await rowsOf(run_id), [0, 0, 0, 0]);
      const { text } = await server.call('viewer', `GET ${server.scoped}/runs/${run_id}/steps?output=true`);
      t.match(text, /"exact":9007199254740993\b/);
      t.match(text, /"output":9007199254740994\b/);
      t.match((await steps(run_id, 'output=true')).steps, [
        { node: 'first', state: 'succeeded', output: { text: 'é\u0000"\\' } },
        { node: 'second', state: 'succeeded' },
        { node: 'never', state: 'skipped' },
        { node: 'fails', state: 'failed', error: { code: /./ } },
      ]);
      t.notOk(
        (await steps(run_id)).steps.some((step: object) => 'output' in step),
        'outputs only when asked for',
      );
      const page = await steps(run_id, 'limit=3');
      t.equal(page.steps.length, 3);
      t.match((await steps(run_id, `limit=3&cursor=${page.next_cursor}`)).steps, [{ node: 'fails' }]);
      t.same((await steps(run_id, 'open=true')).steps, []);
      t.same((await steps(run_id, 'node=first')).steps, [], 'no node has items');
      t.match(await steps(run_id, 'node=third'), { code: 'not_found', detail: /its nodes are first, second/ });
    });

    await t.test('a list cuts a long error, whichever way the flow is stored', async (t) => {
      const long = node('failing')('a', { times: 9, message: '😀'.repeat(2500) }, { continue_on_error: true });
      const [one, other] = [await flows.submit({ nodes: [long] }), await flows.submit({ nodes: [long, delayed] })];
      t.same([(await rowsOf(one))[0], (await rowsOf(other))[0]], [1, 0]);
      const messages = [one, other].map(async (run_id) => (await flows.nodes(run_id)).a!.error!.message);
      t.same(await Promise.all(messages), ['😀'.repeat(2000), '😀'.repeat(2000)]);
    });

    await t.test('a rerun keeps its results, and its rerun keeps those', async (t) => {
      const document = {
        nodes: [set('kept', expr('input.n')), set('again', expr('nodes.kept.output + 1'), { needs: ['kept'] })],
        output: { text: '[nodes.kept.output, nodes.again.output]', reads: ['kept', 'again'] },
      };
      let run_id = await flows.submit(document, { n: 7 });
      for (let times = 0; times < 2; times += 1) {
        const answer = await server.call('member', `POST ${server.scoped}/runs/${run_id}/rerun`, { from: 'again' });
        t.equal(answer.status, 201, answer.text);
        run_id = answer.json.run_id as string;
        t.match(await flows.read(run_id), { status: 'succeeded', output: [7, 8] });
        t.match((await steps(run_id)).steps, [{ node: 'kept', kept: true }, { node: 'again' }]);
        t.same(await rowsOf(run_id), [0, 0, 0, 0]);
      }
    });

    await t.test('one that is larger, fails early or waits has rows for its nodes', async (t) => {
      const large = await flows.submit({ nodes: [set('a', 'x'.repeat(33 * 1024))] });
      t.match(await flows.read(large), { status: 'succeeded' });
      t.same(await rowsOf(large), [0, 1, 1, 1]);
      const stopped = await flows.submit({ nodes: [failing('a', 9), set('b', 1, { needs: ['a'] })] });
      t.match(await flows.read(stopped), { status: 'failed' });
      t.same((await rowsOf(stopped)).slice(0, 2), [0, 1]);
      t.match((await steps(stopped)).steps, [{ state: 'failed' }, { state: 'cancelled' }]);
      const items = await flows.submit({ nodes: [set('a', expr('item'), { fan_out: { items: [1, 2] } })] });
      t.match(await flows.read(items), { status: 'succeeded' });
      t.same((await rowsOf(items))[0], 0);
      t.match((await steps(items, 'node=a&output=true')).steps, [{ output: 1 }, { output: 2 }]);
    });

    await t.test('one that fails or is no longer small has a row of its own', async (t) => {
      const failed = await flows.submit({ nodes: [failing('a', 9)] });
      t.match(await flows.read(failed), { status: 'failed' });
      const wide = await flows.submit({ nodes: [set('a', 'x'.repeat(4000))], output: { text: '1' } });
      t.match(await flows.read(wide), { status: 'succeeded', output: 1 });
      for (const run_id of [failed, wide]) {
        t.same(await rowsOf(run_id), [1, 0, 0, 0]);
        t.match((await steps(run_id)).steps, [{ node: 'a' }]);
      }
    });

    await t.test('one of an older version, in a row of its own, reads the same', async (t) => {
      const document = { nodes: [set('a', { n: 1 })], output: { text: 'nodes.a.output', reads: ['a'] as [string] } };
      const run_id = await flows.submit(document);
      const scope = { ...server.scope, run_id };
      const read = async () => ({ run: await flows.read(run_id), steps: await steps(run_id, 'output=true') });
      const before = await read();
      t.match(before, { run: { output: { n: 1 } }, steps: { steps: [{ node: 'a', output: { n: 1 } }] } });
      const sealer = server.use(Sealer);
      const record = await server.use(Activities).record(database, scope);
      await database.transaction((tx) => insertFinishedFlow(tx, sealer, scope, record!));
      const { org_id, project_id } = scope;
      const context = { org_id, project_id, table: 'runs_runs', kind: 'runs', name: run_id, field: 'output' };
      const output = sealer.seal(context, Buffer.from('{"n":1}'));
      await database.write('UPDATE runs_runs SET output = ?, output_bytes = ? WHERE run_id = ?', [
        output,
        output.length,
        run_id,
      ]);
      t.equal(await server.use(Activities).record(database, scope), undefined);
      t.same(await read(), before);
    });

    await t.test('a record opens in no other run', async (t) => {
      const [one, other] = [await flows.submit({ nodes: [set('a')] }), await flows.submit({ nodes: [set('a')] })];
      const [row] = await database.read<{ output: Buffer }>('SELECT output FROM runs_runs WHERE run_id = ?', [one]);
      const restore = await database.read<{ output: Buffer }>('SELECT output FROM runs_runs WHERE run_id = ?', [other]);
      await database.write('UPDATE runs_runs SET output = ? WHERE run_id = ?', [row!.output, other]);
      await t.rejects(flows.read(other), /moved|cannot be decrypted/);
      await database.write('UPDATE runs_runs SET output = ? WHERE run_id = ?', [restore[0]!.output, other]);
    });

    await t.test('its row goes with its run', async (t) => {
      const run_id = await flows.submit({ nodes: [set('a', 'x'.repeat(4000))] });
      t.same(await rowsOf(run_id), [1, 0, 0, 0]);
      const runs = server.use.all(Prunables).find(({ name }) => name === 'runs')!;
      for await (const _ of runs.prune(database.now() + 60_000, 100));
      t.same(await rowsOf(run_id), [0, 0, 0, 0]);
      t.same((await database.read('SELECT run_id FROM flows_finished')).length, 0);
    });
  });
