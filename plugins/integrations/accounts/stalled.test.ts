import t from 'tap';
import { Clock, Database, Ids, Metrics, Sealer } from '../../../kernel/contracts/index.ts';
import { STORES } from '../../../test/kit/index.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { type Provider, Providers } from '../providers/contract.ts';
import { Renewer } from './service/renewer.ts';
import { RemoteProvider } from './testing/remote-provider.ts';
import { openWorld, type World } from './testing/world.ts';

/** A renewer of another server, for whose requests `meanwhile` happens between the intent and the first byte. */
function otherServer({ server: { use } }: World, meanwhile: () => Promise<void>): Renewer {
  const providers = use(Providers);
  const stalled = (provider: Provider): Provider => {
    const renew = async (token: string, before?: () => void) => {
      await meanwhile();
      return provider.renew(token, before);
    };
    return new Proxy(provider, { get: (_, name) => (name === 'renew' ? renew : Reflect.get(provider, name)) });
  };
  return new Renewer({
    database: use(Database),
    sealer: use(Sealer),
    ids: use(Ids),
    clock: use(Clock),
    audit: use(Audit),
    metrics: use(Metrics),
    changed: () => undefined,
    providers: {
      list: () => providers.list(),
      redirectUri: () => providers.redirectUri(),
      find: (name) => {
        const found = providers.find(name);
        return found && stalled(found);
      },
    },
  });
}

for (const store of STORES)
  for (const [pair, revokes, status, presented] of [
    ['rotates', false, 'active', 1],
    ['rotates and revokes', true, 'in_doubt', 0],
  ] as const)
    t.test(`${store}: ${pair}: a server that stood still sends nothing any more`, async (t) => {
      const far = new RemoteProvider();
      far.family = revokes;
      await far.listen();
      t.teardown(() => far.close());
      const world = await openWorld(t, store, { far });
      const { server } = world;
      const key = { org_id: server.scope.org_id, project_id: server.scope.project_id, name: 'mail' };
      t.equal((await world.connect('mail')).status, 200);
      const second = otherServer(world, async () => undefined);
      const first = otherServer(world, async () => {
        server.clock.advance(61_000);
        // The time of a MySQL database is its own.
        await server.use(Database).write('UPDATE accounts_renewals SET until_at = 1');
        await second.renewIfDue(key);
      });
      await first.renewIfDue(key, { force: true });
      t.match(await world.account('mail'), { status });
      t.equal(far.presented.length, presented, 'by the other server alone');
    });
