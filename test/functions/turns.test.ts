import t from 'tap';
import { Database } from '../../kernel/contracts/index.ts';
import { boot, checkRuns, STORES, until } from '../kit/index.ts';
import { RunStore } from '../../plugins/engine/runs/contract.ts';
import { checkLockInvariants } from '../../plugins/execution/locks/testing/invariants.ts';
import { Bootstrap } from '../../plugins/security/access/contract.ts';

t.setTimeout(600_000);

const LEASE_MS = 60_000;
/** Runs of one key that wait while another key comes. */
const QUEUED = 100;

for (const store of STORES)
  t.test(`${store}: the runs of a function take turns by key`, { timeout: 600_000 }, async (t) => {
    const server = await boot({ store, access: 'empty' });
    t.teardown(() => server.close());
    const database = server.use(Database);
    const owner = (await server.use(Bootstrap).ensure({ user: 'olga', org: 'acme', project: 'shop' })).token;
    const agent = (await server.call(owner, 'POST /api/v1/tokens', { name: 'worker', org: 'acme', kind: 'agent' })).json
      .token as string;
    const project = '/api/v1/orgs/acme/projects/shop';
    const register = (options: object, name = 'order') =>
      server.call(agent, 'PUT /api/v1/agents/functions', {
        functions: [{ name, version: 'v1', versions: 'replay', ...options }],
      });
    const submit = async (input: unknown, more: object = {}) =>
      server.call(owner, `POST ${project}/runs`, { function: 'order', input, ...more });
    const submitted = async (input: unknown, more: object = {}): Promise<string> => {
      const { status, json, text } = await submit(input, more);
      if (status !== 201) throw new Error(`${status} ${text}`);
      return json.run_id as string;
    };
    const view = async (run_id: string) => (await server.call(owner, `GET ${project}/runs/${run_id}`)).json;
    const claim = () =>
      server.use(RunStore).claim({ agent_id: 'agt_1', capabilities: ['function:order'] }, 500, LEASE_MS);
    const claimNext = () =>
      until(async () => {
        const claimed = await claim();
        return claimed.length > 0 && claimed;
      });
    const end = ({ activity_id, epoch }: { activity_id: string; epoch: number }) =>
      server.use(RunStore).complete({ activity_id, epoch }, { status: 'succeeded', output: null });

    t.equal(
      (await register({ concurrency: { key: 'input.customer', limit: 1 }, priority: 'input.urgent ? 5 : 0' })).status,
      204,
    );
    t.match((await server.call(owner, `GET ${project}/functions/order`)).json, {
      concurrency: { key: 'input.customer', limit: 1 },
      priority: 'input.urgent ? 5 : 0',
    });
    const ana = { customer: 'ana' };
    const runs = await Promise.all(Array.from({ length: QUEUED }, () => submitted(ana)));
    const [first, ...more] = await claim();
    t.same(more, [], 'one run of the key at a time');
    t.match(await view(runs.find((run) => run !== first!.run_id)!), {
      status: 'queued',
      substate: { kind: 'awaiting_lease', name: 'function/order/ana' },
    });

    const bo = await submitted({ customer: 'bo' });
    const [other, ...none] = await claim();
    t.same([other!.run_id, ...none], [bo], 'the other runs of a key hold back no run of another key');

    const urgent = await submitted({ customer: 'ana', urgent: true });
    const chosen = await submitted({ customer: 'ana', urgent: true }, { priority: 9 });
    t.match([await view(urgent), await view(chosen)], [{ priority: 5 }, { priority: 9 }]);
    await end(first!);
    const [next] = await claimNext();
    t.equal(next!.run_id, chosen, 'the one with the highest priority comes next');

    t.match(await submit({}), {
      status: 422,
      json: { code: 'function_key_failed', errors: [{ pointer: '/input', message: /input\.customer/ }] },
    });
    t.match(await submit({ customer: [1] }), { status: 422, json: { code: 'function_key_failed' } });
    t.match(await submit(ana, { concurrency: { group: 'mine' } }), {
      status: 400,
      json: { errors: [{ pointer: '/concurrency', message: /set by the workflow itself/ }] },
    });

    for (const [options, pointer] of [
      [{ concurrency: { key: 'input.' } }, '/functions/0/concurrency/key'],
      [{ concurrency: { key: 'event.payload' } }, '/functions/0/concurrency/key'],
      [{ concurrency: { key: 'input.all(x, x > 1)' } }, '/functions/0/concurrency/key'],
      [{ priority: '1 +' }, '/functions/0/priority'],
      [{ concurrency: { throttle: { limit: 1, period: '1ms' } } }, '/functions/0/concurrency/throttle/period'],
    ] as const)
      t.match(await register(options, 'bad'), {
        status: 422,
        json: { code: 'function_options_invalid', errors: [{ pointer }] },
      });
    for (const options of [
      { concurrency: 0 },
      { concurrency: { limit: 0 } },
      { concurrency: { no: 1 } },
      { priority: 10 },
    ])
      t.match(await register(options, 'bad'), { status: 400 });

    t.equal((await register({ concurrency: { group: 'pay', throttle: { limit: 1, period: '1s' } } })).status, 204);
    const paid = [await submitted({}), await submitted({}), await submitted({})];
    t.match(await view(paid[2]!), { status: 'queued', substate: { kind: 'awaiting_lease', name: 'pay' } });
    const order: string[] = [];
    while (order.length < paid.length) order.push(...(await claimNext()).map(({ run_id }) => run_id));
    t.same(order, paid, 'each starts when the throttle lets it, while the others go on');
    t.same([...(await checkRuns(database)), ...(await checkLockInvariants(database))], []);

    t.equal((await register({ concurrency: { key: 'input.customer', limit: 1 } })).status, 204);
    const cy = await submitted({ customer: 'cy' });
    await end((await claimNext())[0]!);
    const rerun = await server.call(owner, `POST ${project}/runs/${cy}/rerun`, { input: { customer: 'dee' } });
    t.equal(rerun.status, 201, rerun.text);
    t.match(
      await view(await submitted({ customer: 'dee' })),
      { status: 'queued', substate: { kind: 'awaiting_lease', name: 'function/order/dee' } },
      'a rerun with another input takes its turn by that input',
    );
    t.equal((await claimNext())[0]!.run_id, rerun.json.run_id);

    t.equal((await register({})).status, 204);
    const free = await submitted({});
    t.equal((await claimNext())[0]!.run_id, free, 'without options a run waits for nothing');
  });
