import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { boot, STORES, StandInAgent, until } from '../../../test/kit/index.ts';
import { RunMasks } from '../../security/masking/contract.ts';
import { Prunables } from '../../platform/retention/contract.ts';

t.setTimeout(600_000);

for (const store of STORES)
  t.test(
    `${store}: which values a run was given is kept as long as the run or an event of it, and no longer`,
    async (t) => {
      const server = await boot({ store, access: 'project' });
      t.teardown(() => server.close());
      const { use, scope } = server;
      const [database, masks] = [use(Database), use(RunMasks)];
      const agent = new StandInAgent(use, { org_id: scope.org_id });
      const submit = async () =>
        (await server.call('member', `POST ${server.scoped}/runs`, { source: 'true' })).json.run_id as string;
      const [over, open] = [await submit(), await submit()];
      for (const run_id of [over, open]) await masks.remember({ ...scope, run_id }, ['a secret value']);
      const claims = await agent.claim(2);
      await agent.end(claims.find(({ run_id }) => run_id === over)!, { status: 'succeeded', output: 'a secret value' });
      const events = () =>
        database.read<{ type: string }>('SELECT type FROM bus_events WHERE source_name = ? ORDER BY seq', [over]);
      await until(async () => (await events()).some(({ type }) => type === 'run.succeeded'));
      const prune = async (name: string) => {
        const one = use.all(Prunables).find((prunable) => prunable.name === name)!;
        for await (const _ of one.prune(database.now() + 60_000, 100));
      };
      const masked = async () =>
        (await database.read<{ run_id: string }>('SELECT run_id FROM masking_runs ORDER BY run_id')).map(
          ({ run_id }) => run_id,
        );
      await prune('runs');
      t.equal((await server.call('viewer', `GET ${server.scoped}/runs/${over}`)).status, 404);
      t.same(await masked(), [over, open].toSorted(), 'its events are still shown');
      t.ok((await masks.of({ ...scope, run_id: over })).text('a secret value').startsWith('***'));
      await prune('events');
      t.same(await events(), []);
      await prune('runs');
      t.same(await masked(), [open], 'that of an open run stays');
    },
  );
