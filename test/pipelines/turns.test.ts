import t from 'tap';
import { Database } from '../../kernel/contracts/index.ts';
import { bootEngine, checkRuns, type EngineServer, STORES, until } from '../kit/index.ts';
import { ISOLATES, RunStore } from '../../plugins/engine/runs/contract.ts';
import { checkLockInvariants } from '../../plugins/execution/locks/testing/invariants.ts';

t.setTimeout(600_000);

const LEASE_MS = 60_000;

for (const store of STORES)
  t.test(`${store}: runs wait for their group before anybody can claim them`, { timeout: 600_000 }, async (t) => {
    const server = await bootEngine({ store, plugins: ['pipelines'], idle: false });
    t.teardown(() => server.close());
    const database = server.use(Database);
    const submit = async (more: object): Promise<string> => {
      const body = { filename: 'a.sh', source: 'true', ...more };
      const { status, json, text } = await server.call('member', `POST ${server.scoped}/runs`, body);
      if (status !== 201) throw new Error(`${status} ${text}`);
      return json.run_id as string;
    };
    const view = async (run_id: string) =>
      (await server.call('viewer', `GET ${server.scoped}/runs/${run_id}`)).json as Record<string, unknown>;
    const claim = () => server.use(RunStore).claim({ agent_id: 'agt_1', capabilities: [ISOLATES] }, 100, LEASE_MS);
    const end = (on: EngineServer, { activity_id, epoch }: { activity_id: string; epoch: number }) =>
      on.use(RunStore).complete({ activity_id, epoch }, { status: 'succeeded', output: null });
    const concurrency = { group: 'turns', limit: 2 };
    const runs: string[] = [];
    for (const priority of [0, 0, 0, 0, 5]) runs.push(await submit({ concurrency, priority }));
    const first = await claim();
    t.same(new Set(first.map(({ run_id }) => run_id)), new Set(runs.slice(0, 2)), 'as many as the limit allows');
    t.match(await view(runs[2]!), { status: 'queued', substate: { kind: 'awaiting_lease', name: 'turns' } });
    t.match(await view(runs[4]!), { status: 'queued', priority: 5 });
    t.same(await checkRuns(database), []);
    await end(server, first[0]!);
    const next = await until(async () => {
      const claimed = await claim();
      return claimed.length > 0 && claimed;
    });
    t.same(
      next.map(({ run_id }) => run_id),
      [runs[4]],
      'the one with a priority first',
    );
    t.match(next, [{ journal: [], epoch: 1 }], 'the wait is no record');
    t.match(await view(runs[4]!), { status: 'running' });
    const { status } = await server.call('member', `POST ${server.scoped}/runs/${runs[2]}/cancel`, {});
    t.equal(status, 200, 'one that waits can be cancelled');
    const last = await submit({ concurrency: { ...concurrency, policy: 'cancel-pending' } });
    await until(async () => (await view(runs[3]!)).status === 'cancelled', {
      what: 'the one that waits to be replaced',
    });
    await end(server, first[1]!);
    const [final] = await until(async () => {
      const claimed = await claim();
      return claimed.length > 0 && claimed;
    });
    t.equal(final!.run_id, last);
    for (const one of [next[0]!, final!]) await end(server, one);
    t.match(
      await server.call('member', `POST ${server.scoped}/runs`, {
        ...{ filename: 'a.yml', source: 'jobs: { a: { steps: [{ run: x }] } }', concurrency },
      }),
      { status: 400, text: /only for scripts and functions/ },
    );
    for (const bad of [{ group: '' }, { group: 'a', limit: 0 }, { group: 'a', policy: 'none' }, { limit: 1 }])
      t.match(
        await server.call('member', `POST ${server.scoped}/runs`, {
          filename: 'a.sh',
          source: 'true',
          concurrency: bad,
        }),
        { status: 400 },
      );
    t.same([...(await checkRuns(database)), ...(await checkLockInvariants(database))], []);
  });
