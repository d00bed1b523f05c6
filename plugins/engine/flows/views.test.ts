import t from 'tap';
import { STORES } from '../../../test/kit/index.ts';
import { RunStore } from '../runs/contract.ts';
import { expr, FlowServer, node, set, shell } from './testing/flow-server.ts';

t.setTimeout(600_000);

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const line = (n: number, text: string) => ({
  n,
  stream: 'stdout' as const,
  at: 0,
  data: Buffer.from(text).toString('base64'),
});

for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const flows = await FlowServer.openFor(t, { store });
    const get = async (run_id: string, path: string) => {
      const { server } = flows;
      return server.call('viewer', `GET ${server.scoped}/runs/${run_id}${path}`);
    };
    const steps = async (run_id: string, query = '') => (await get(run_id, `/steps?${query}`)).json.steps;

    t.test('every node says what it is doing, and what it waits for', async (t) => {
      const run_id = await flows.submit(
        {
          nodes: [
            set('values', { a: 1 }),
            node('condition')('big', { if: 'input > 3' }),
            node('delay')('later', { ms: 3_600_000 }),
            node('wait_signal')('approved', { name: 'ship' }, { timeout_ms: 60_000 }),
            shell('build', { timeout_ms: 60_000, retry: { attempts: 2, backoff_ms: 3_600_000 } }),
            shell('test'),
            set('after', 1, { needs: ['build'] }),
            shell('each', { fan_out: { items: [1, 2, 3], concurrency: 2 } }),
          ],
        },
        5,
      );
      t.match(await steps(run_id), [
        {
          node: 'values',
          type: 'set',
          state: 'succeeded',
          attempt: 1,
          started_at: ISO,
          finished_at: ISO,
          output: undefined,
        },
        { node: 'big', state: 'succeeded', case: true },
        { node: 'later', state: 'running', substate: { kind: 'sleep', name: '', since: ISO, deadline: ISO } },
        { node: 'approved', state: 'running', substate: { kind: 'signal', name: 'ship', deadline: ISO } },
        { node: 'build', state: 'running', activity: { state: 'queued', requires: ['linux'] }, timeout_at: ISO },
        { node: 'test', state: 'running', activity: { state: 'queued' }, timeout_at: undefined },
        { node: 'after', state: 'waiting', attempt: 0, started_at: undefined },
        { node: 'each', state: 'running', items: { total: 3, begun: 2, ended: 0, failed: 0 } },
      ]);
      const claims = await flows.claim();
      const build = claims.find(({ name }) => name === 'build')!;
      t.match((await steps(run_id))[4], {
        activity: { state: 'running', agent_id: 'agt_1' },
        attempts: undefined,
      });
      await flows.end(build, { status: 'failed', code: 'broken', message: 'no disk' });
      t.match((await steps(run_id))[4], {
        state: 'backoff',
        attempt: 1,
        error: { code: 'broken', message: 'no disk' },
        substate: { kind: 'sleep', deadline: ISO },
        attempts: [{ attempt: 1, started_at: ISO, finished_at: ISO, error: { code: 'broken', message: 'no disk' } }],
      });
      const ids = (list: { node: string; item?: number }[]) =>
        list.map((one) => `${one.node}${one.item ?? ''}`).join(' ');
      t.equal(ids(await steps(run_id, 'open=true')), 'later approved build test each');
      t.equal(ids(await steps(run_id, 'node=each')), 'each0 each1');
      await flows.end(claims.find(({ name }) => name === 'each[0]')!, { status: 'succeeded', output: 'x' });
      t.equal(ids(await steps(run_id, 'node=each&open=true')), 'each1 each2');
      t.match(await steps(run_id, 'node=each&output=true'), [{ item: 0, output: 'x' }, { item: 1 }, { item: 2 }]);
      t.match((await steps(run_id, 'output=true'))[0], { output: { a: 1 } });
      t.match((await get(run_id, '/steps?node=other')).json, {
        code: 'not_found',
        detail: /its nodes are values, big/,
      });
      const calls = await steps(run_id, 'calls=true');
      t.match(calls, [{ kind: 'sleep', status: 'waiting' }], 'the calls of its activities');
      await flows.server.call('member', `POST ${flows.server.scoped}/runs/${run_id}/cancel`, {});
      t.ok((await steps(run_id)).slice(2).every(({ state }: { state: string }) => state === 'cancelled'));
    });

    t.test('pages go on where they ended, also where outputs are large', async (t) => {
      const wide = await flows.submit({ nodes: Array.from({ length: 120 }, (_, i) => set(`n${i}`)) });
      const large = await flows.submit(
        { nodes: Array.from({ length: 5 }, (_, i) => set(`n${i}`, expr('input'))) },
        'x'.repeat(250_000),
      );
      for (const [run_id, query, pages] of [
        [wide, '', '50 50 20'],
        [wide, 'limit=120', '120'],
        [large, 'output=true', '4 1'],
        [large, '', '5'],
      ] as const) {
        const sizes: number[] = [];
        const seen: string[] = [];
        for (let cursor: string | undefined = ''; cursor !== undefined; ) {
          const { json } = await get(run_id, `/steps?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
          sizes.push(json.steps.length);
          seen.push(...json.steps.map((one: { node: string }) => one.node));
          cursor = json.next_cursor;
        }
        t.equal(sizes.filter((size) => size > 0).join(' '), pages, query);
        t.equal(new Set(seen).size, seen.length);
      }
      t.equal((await get(wide, '/steps?cursor=x')).status, 400);
      const script = await flows.server.call('member', `POST ${flows.server.scoped}/runs`, { source: 'true' });
      t.match(await get(script.json.run_id, '/steps?node=x'), { status: 400, json: { code: 'invalid_request' } });
      await flows.server.agent.work();
    });

    t.test('each line of the log names its node, where there are several', async (t) => {
      const several = await flows.submit({ nodes: [shell('a'), shell('b')] });
      const alone = await flows.submit({ nodes: [shell('only')] });
      const claims = new Map((await flows.claim()).map((claim) => [claim.name, claim]));
      const log = (name: string, n: number, text: string) =>
        flows.server.use(RunStore).appendLogs(claims.get(name)!, [line(n, text)]);
      await log('a', 0, 'one\ntw');
      await log('b', 0, 'other\n');
      await log('a', 1, 'o\n');
      await log('only', 0, 'plain\n');
      for (const claim of claims.values()) await flows.end(claim);
      t.equal((await get(several, '/logs')).text, 'a | one\nb | other\na | two\n');
      t.equal((await get(alone, '/logs')).text, 'plain\n');
      const events = (await get(several, '/logs?follow=true')).text;
      t.same(events.match(/"activity":"\w+"/g), ['"activity":"a"', '"activity":"b"', '"activity":"a"']);
      t.notMatch((await get(alone, '/logs?follow=true')).text, /"activity":/);
    });
  });

for (const store of STORES)
  t.test(`${store}: cancel and cancel_on end flows as they end scripts`, async (t) => {
    const flows = await FlowServer.open({ store, plugins: ['bus'], idle: false });
    t.teardown(() => flows.close());
    const { server } = flows;
    const submit = async (more: object) => {
      const source = JSON.stringify({
        version: 'svc-test-flow/v1',
        nodes: [shell('work'), node('wait_signal')('w', { name: 's' })],
      });
      return (await server.call('member', `POST ${server.scoped}/runs`, { source, ...more })).json.run_id as string;
    };
    const ended = async (run_id: string) =>
      (await server.call('viewer', `GET ${server.scoped}/runs/${run_id}?wait=1m`)).json;
    const by_hand = await submit({});
    const [claim] = await flows.claim(1);
    await server.call('member', `POST ${server.scoped}/runs/${by_hand}/cancel`, { reason: 'enough' });
    t.match(await ended(by_hand), { status: 'cancelled', reason: 'enough' });
    await t.rejects(flows.end(claim!), { code: 'lease_lost' });
    const about = await submit({ cancel_on: ['deploy.abort'], subject: 'acme/site' });
    const other = await submit({ cancel_on: ['deploy.abort'], subject: 'acme/other' });
    await server.call('member', `POST ${server.scoped}/events`, { type: 'deploy.abort', key: 'acme/site' });
    t.match(await ended(about), { status: 'cancelled', cancelled_by: { type: 'deploy.abort' } });
    t.match((await server.call('viewer', `GET ${server.scoped}/runs/${other}`)).json.status, /queued|waiting|running/);
    t.same(await flows.broken(), []);
  });
