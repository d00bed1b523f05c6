import t from 'tap';
import { openTestDatabase, STORES } from '../../../test/kit/index.ts';
import { RunStore } from '../runs/contract.ts';
import { expr, failing, FlowServer, node, set, shell } from './testing/flow-server.ts';

t.setTimeout(600_000);

const failed = { status: 'failed', code: 'broken', message: 'it broke' } as const;
const put = (output: string) => ({ status: 'succeeded', output }) as const;

for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const database = await openTestDatabase(store);
    const flows = await FlowServer.open({ database });
    const other = await FlowServer.open({ database });
    t.teardown(async () => {
      await flows.close();
      await other.close();
      await database.drop();
    });
    t.afterEach(async () => t.same(await flows.broken(), [], 'the invariants hold'));

    t.test('nodes without agents are done when the submit is answered', async (t) => {
      const run_id = await flows.submit(
        {
          nodes: [
            set('a', { n: expr('input.n + 1') }),
            node('condition')('c', { if: 'nodes.a.output.n > 3' }, { needs: ['a'] }),
            set('yes', 'yes', { needs: [{ node: 'c', when: true }] }),
            set('no', 'no', { needs: [{ node: 'c', when: false }] }),
            set('join', expr('nodes.yes.output'), { needs: ['yes', 'no'], join: 'any' }),
            set('never', 1, { needs: ['no'] }),
            set('always', expr('nodes.no.status'), { needs: ['no'], if: { text: 'true', always: true } }),
          ],
          output: { text: '[nodes.join.output, nodes.always.output]', reads: ['join', 'always'] },
        },
        { n: 5 },
      );
      t.match(await flows.read(run_id), { status: 'succeeded', output: ['yes', 'skipped'], error: null });
      t.equal(
        await flows.states(run_id),
        'a:succeeded c:succeeded yes:succeeded no:skipped join:succeeded never:skipped always:succeeded',
      );
      t.same(await flows.claim(), []);
    });

    t.test('a diamond on agents: a retry, a pause, and results that are passed on', async (t) => {
      const run_id = await flows.submit({
        nodes: [
          shell('a'),
          shell('b', { needs: ['a'], retry: { attempts: 3, backoff_ms: 30 } }),
          shell('c', { needs: ['a'] }),
          set('d', expr('nodes.b.output + nodes.c.output'), { needs: ['b', 'c'] }),
        ],
        output: { text: 'nodes.d.output', reads: ['d'] },
      });
      t.match(await flows.read(run_id), { status: 'queued' });
      const [a] = await flows.claim();
      t.match(await flows.read(run_id), { status: 'running' });
      await flows.end(a!, put('a'));
      const [b, c] = (await other.claim()).toSorted((x, y) => x.name.localeCompare(y.name));
      await other.end(c!, put('C'));
      await flows.end(b!, failed);
      t.match(await flows.read(run_id), { status: 'waiting', substate: { kind: 'sleep' } });
      t.match((await flows.nodes(run_id)).b, { state: 'backoff', attempt: 1, error: { code: 'broken' } });
      await flows.sweep(50);
      const [again] = await other.claim();
      t.not(again!.activity_id, b!.activity_id);
      await other.end(again!, put('B'));
      t.match(await flows.read(run_id), { status: 'succeeded', output: 'BC' });
      t.match((await flows.nodes(run_id)).b, { state: 'succeeded', attempt: 2, error: null });
    });

    t.test('a failure stops the flow, is absorbed, or ends it after everything else', async (t) => {
      const stopped = await flows.submit({ nodes: [shell('a'), shell('b'), set('c', 1, { needs: ['a'] })] });
      const [a, b] = await flows.claim();
      await flows.end(a!, failed);
      t.match(await flows.read(stopped), {
        status: 'failed',
        error: { code: 'broken', message: /node [ab]: it broke/ },
      });
      await t.rejects(flows.end(b!), { code: 'lease_lost' });
      t.match(await flows.states(stopped), /cancelled/);

      const absorbed = await flows.submit({
        nodes: [
          failing('a', 9, { retry: { attempts: 2 }, continue_on_error: true }),
          set('b', expr('nodes.a.error.code'), { needs: ['a'] }),
        ],
        output: { text: 'nodes.b.output', reads: ['b'] },
      });
      t.match(await flows.read(absorbed), { status: 'succeeded', output: 'invalid_request' });

      const finished = await flows.submit({
        on_failure: 'finish',
        nodes: [failing('a', 1), set('b', 1, { needs: ['a'] }), set('c'), set('d', 1, { needs: ['c'] })],
      });
      t.match(await flows.read(finished), { status: 'failed', error: { code: 'invalid_request' } });
      t.equal(await flows.states(finished), 'a:failed b:skipped c:succeeded d:succeeded');
    });

    t.test('a fan-out begins its items in windows and keeps their order', async (t) => {
      const run_id = await flows.submit({
        nodes: [
          set('list', [1, 2, 3, 4, 5]),
          shell('each', { needs: ['list'], fan_out: { items: 'nodes.list.output', concurrency: 2 } }),
          set('more', expr('item * 10 + index'), { needs: ['each'], fan_out: { items: [1, 2, 3] } }),
        ],
        output: { text: '[nodes.each.output, nodes.more.output]', reads: ['each', 'more'] },
      });
      for (let round = 0; round < 5; round++) {
        const claims = await flows.claim();
        t.ok(claims.length <= 2);
        const claim = claims.at(-1)!;
        for (const one of claims) if (one !== claim) await flows.server.use(RunStore).release(one);
        await flows.end(claim, put(claim.name));
      }
      t.same((await flows.read(run_id)).output, [
        ['each[0]', 'each[1]', 'each[2]', 'each[3]', 'each[4]'],
        [10, 21, 32],
      ]);
    });

    t.test('an item that fails ends its fan-out, unless the node goes on', async (t) => {
      const fan_out = { items: [1, 2, 3], concurrency: 3 };
      const strict = await flows.submit({ nodes: [shell('a', { fan_out })] });
      const [first, second] = await flows.claim();
      await flows.end(first!, failed);
      t.match(await flows.read(strict), { status: 'failed', error: { code: 'broken' } });
      await t.rejects(flows.end(second!), { code: 'lease_lost' });
      const lenient = await flows.submit({
        nodes: [shell('a', { fan_out, continue_on_error: true })],
        output: { text: 'nodes.a.output', reads: ['a'] },
      });
      const claims = (await flows.claim()).toSorted((x, y) => x.name.localeCompare(y.name));
      await flows.end(claims[1]!, failed);
      await flows.end(claims[0]!, put('x'));
      await flows.end(claims[2]!, put('z'));
      t.match(await flows.read(lenient), { status: 'succeeded', output: ['x', null, 'z'] });
      t.match((await flows.nodes(lenient)).a, { items: { total: 3, begun: 3, ended: 3, failed: 1 } });
    });

    t.test('delays and signals wait without an agent', async (t) => {
      const run_id = await flows.submit({
        nodes: [
          node('delay')('pause', { ms: 20 }),
          node('wait_signal')('go', { name: 'go' }, { needs: ['pause'] }),
          node('wait_signal')('late', { name: 'late' }, { needs: ['go'], timeout_ms: 20, continue_on_error: true }),
        ],
        output: { text: '[nodes.go.output.n, nodes.late.error.code]', reads: ['go', 'late'] },
      });
      t.match(await flows.read(run_id), { status: 'waiting', substate: { kind: 'sleep' } });
      await flows.sweep(40);
      t.match(await flows.read(run_id), { status: 'waiting', substate: { kind: 'signal', name: 'go' } });
      const { org_id, project_id } = flows.server.scope;
      await other.server.use(RunStore).sendSignal({ org_id, project_id, run_id, name: 'go', payload: { n: 7 } });
      await flows.sweep(40);
      t.match(await flows.read(run_id), { status: 'succeeded', output: [7, 'wait_timeout'] });
      t.same(await flows.claim(), []);
    });

    t.test('a signal that was sent before ends the wait at once', async (t) => {
      const run_id = await flows.submit({
        nodes: [shell('a'), node('wait_signal')('go', { name: 'go' }, { needs: ['a'] })],
        output: { text: 'nodes.go.output', reads: ['go'] },
      });
      const { org_id, project_id } = flows.server.scope;
      await flows.server.use(RunStore).sendSignal({ org_id, project_id, run_id, name: 'go', payload: 'early' });
      await flows.end((await flows.claim())[0]!);
      t.match(await flows.read(run_id), { status: 'succeeded', output: 'early' });
    });

    t.test('a node that takes too long is taken from its agent', async (t) => {
      const run_id = await flows.submit({ nodes: [shell('slow', { timeout_ms: 500, retry: { attempts: 2 } })] });
      const [slow] = await flows.claim();
      await flows.sweep(600);
      await t.rejects(flows.end(slow!), { code: 'lease_lost' });
      const [again] = await flows.claim();
      await flows.end(again!);
      t.match(await flows.read(run_id), { status: 'succeeded' });
      const late = await flows.submit({ nodes: [shell('slow', { timeout_ms: 1 })] });
      await flows.sweep(20);
      t.match(await flows.read(late), { status: 'failed', error: { code: 'flow_node_timeout' } });
    });

    t.test('a cancel ends everything of a flow', async (t) => {
      const run_id = await flows.submit({
        nodes: [shell('a', { timeout_ms: 60_000 }), node('delay')('b', { ms: 60_000 }), set('c', 1, { needs: ['a'] })],
      });
      const [a] = await flows.claim();
      const { org_id, project_id } = flows.server.scope;
      await flows.server.use(RunStore).cancelRun({ org_id, project_id, run_id, reason: 'enough' });
      await t.rejects(flows.end(a!), { code: 'lease_lost' });
      t.match(await flows.read(run_id), { status: 'cancelled' });
      t.equal(await flows.states(run_id), 'a:cancelled b:cancelled c:cancelled');
    });

    t.test('what cannot be evaluated or is not known fails its node with a code', async (t) => {
      const plans = [
        [{ nodes: [set('a', expr('nodes.b.output'))] }, 'flow_expression_failed'],
        [{ nodes: [set('a', 1, { if: { text: '1 +' } })] }, 'flow_expression_failed'],
        [{ nodes: [set('a', 1, { fan_out: { items: '7' } })] }, 'flow_expression_failed'],
        [{ nodes: [node('nobody')('a')] }, 'flow_node_unknown'],
        [{ nodes: [node('delay')('a', { ms: 'long' })] }, 'flow_config_invalid'],
        [{ nodes: [set('a')], output: { text: 'nodes.gone.x' } }, 'flow_expression_failed'],
      ] as const;
      for (const [plan, code] of plans)
        t.match(await flows.read(await flows.submit(plan)), { status: 'failed', error: { code } }, code);
      await t.rejects(flows.submit({ nodes: [set('a', 1, { needs: ['b'] }), set('b', 1, { needs: ['a'] })] }), {
        code: 'workflow_invalid',
      });
    });

    t.test('two servers end the nodes of one flow together', async (t) => {
      const fan_out = { items: Array.from({ length: 40 }, (_, n) => n), concurrency: 10 };
      const run_id = await flows.submit({ nodes: [shell('a', { fan_out }), set('b', 1, { needs: ['a'] })] });
      for (let ended = 0; ended < 40; ) {
        const claims = await flows.claim();
        await Promise.all(claims.map((claim, n) => (n % 2 === 0 ? flows : other).end(claim, put(claim.name))));
        ended += claims.length;
      }
      t.match(await flows.read(run_id), { status: 'succeeded' });
    });
  });
