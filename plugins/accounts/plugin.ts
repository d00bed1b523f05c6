import {
  AccessControl,
  Clock,
  Database,
  definePlugin,
  HttpAddress,
  HttpRoutes,
  Ids,
  Log,
  Metrics,
  type PluginSetup,
  type Resolve,
  Sealer,
  SERVER_ROLES,
} from '../../kernel/contracts/index.ts';
import { MembershipObservers, Scopes } from '../access/contract.ts';
import { Audit } from '../audit/contract.ts';
import { EventBus } from '../bus/contract.ts';
import { CredentialNames, CredentialUses, NameHolders } from '../credentials/contract.ts';
import { LiveTopics } from '../live/contract.ts';
import { Providers } from '../providers/contract.ts';
import { AuditedWrites } from '../resources/contract.ts';
import { ActivityObservers, Wakeups } from '../runs/contract.ts';
import { Sessions } from '../sessions/contract.ts';
import { Attention } from '../summary/contract.ts';
import { callbackRoute } from './callback-route.ts';
import { accountTables } from './migrations/0001-accounts.ts';
import { tokensLast } from './migrations/0002-order.ts';
import manifest from './plugin.json' with { type: 'json' };
import { accountRoutes } from './routes.ts';
import { AccountService } from './service/account-service.ts';
import { accountsAttention } from './service/attention.ts';
import { Callback } from './service/callback.ts';
import { Consents } from './service/consents.ts';
import { GrantChecks } from './service/grant-checks.ts';
import { granterLeaves } from './service/leaving.ts';
import { accountsTopic } from './service/live-accounts.ts';
import { AccountLoop, CHANGED } from './service/loop.ts';
import { registerMetrics } from './service/metrics.ts';
import { ConsolePlaces } from './service/places.ts';
import { PresentedAccounts } from './service/refusals.ts';
import { Renewer } from './service/renewer.ts';
import { AccountUse } from './service/use.ts';

/** What most parts need. */
const shares = (use: Resolve) => ({
  database: use(Database),
  sealer: use(Sealer),
  ids: use(Ids),
  clock: use(Clock),
  audit: use(Audit),
  log: use(Log).child({ plugin: 'accounts' }),
  providers: use(Providers),
  changed: () => use(Wakeups).topic(CHANGED),
});

const makePlaces = (use: Resolve) =>
  new ConsolePlaces({
    providers: use(Providers),
    scopes: use(Scopes),
    origin: () => use(HttpAddress).public_url() ?? use(HttpAddress).base_url(),
  });

type Own<T> = (use: Resolve) => T;

interface Parts {
  places: Own<ConsolePlaces>;
  renewer: Own<Renewer>;
  checks: Own<GrantChecks>;
  presented: Own<PresentedAccounts>;
}

/** What people and programs ask for. */
function registerRoutes(plugin: PluginSetup, { places }: Parts): void {
  plugin.contribute(HttpRoutes, (use) => {
    const parts = { ...shares(use), names: use(CredentialNames), sessions: use(Sessions), places: places(use) };
    const service = new AccountService({ ...parts, writes: use(AuditedWrites) });
    const callback = new Callback({ ...parts, access: use(AccessControl) });
    return [
      ...accountRoutes({ service, consents: new Consents(parts), uses: use(CredentialUses) }),
      callbackRoute(callback, places(use)),
    ];
  });
}

/** How accounts are used, and what happens to them without anybody asking. */
function registerUse(plugin: PluginSetup, { places, renewer, checks, presented }: Parts): void {
  plugin.contribute(
    NameHolders,
    (use) =>
      new AccountUse({
        ...shares(use),
        places: places(use),
        presented: presented(use),
        renew: (key) => renewer(use).attend(key, { force: true }),
        check: (key) => checks(use).begin(key),
      }),
  );
  plugin.contribute(ActivityObservers, (use) => presented(use).observer((key) => checks(use).begin(key)));
  plugin.contribute(Attention, (use) => accountsAttention(use(Database)));
  plugin.contribute(LiveTopics, (use) => accountsTopic({ ...shares(use), wakeups: use(Wakeups) }));
  plugin.contribute(MembershipObservers, (use) => granterLeaves(shares(use)));
}

const makeLoop = (use: Resolve, renewer: Renewer) =>
  new AccountLoop({ ...shares(use), renewer, bus: use(EventBus), wakeups: use(Wakeups) });

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([accountTables, tokensLast]);
  const renewer = plugin.own((use) => new Renewer({ ...shares(use), metrics: use(Metrics) }));
  const parts: Parts = {
    renewer,
    places: plugin.own(makePlaces),
    checks: plugin.own((use) => new GrantChecks({ ...shares(use), renewer: renewer(use) })),
    presented: plugin.own(() => new PresentedAccounts()),
  };
  registerRoutes(plugin, parts);
  registerUse(plugin, parts);
  plugin.onStart(SERVER_ROLES, async (use) => {
    registerMetrics(use(Metrics), use(Database));
    const stop = makeLoop(use, renewer(use)).start();
    return async () => {
      await stop();
      await parts.checks(use).settle();
    };
  });
});
