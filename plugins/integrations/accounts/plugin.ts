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
  provide,
  type Resolve,
  Sealer,
  SERVER_ROLES,
} from '../../../kernel/contracts/index.ts';
import { MembershipObservers, Scopes } from '../../security/access/contract.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { EventBus } from '../../events/bus/contract.ts';
import { CredentialNames, CredentialUses, CredentialSources } from '../../secrets/credentials/contract.ts';
import { LiveTopics } from '../../engine/live/contract.ts';
import { Providers } from '../providers/contract.ts';
import { AuditedWrites } from '../../platform/resources/contract.ts';
import { ActivityObservers, Wakeups } from '../../engine/runs/contract.ts';
import { Sessions } from '../../security/sessions/contract.ts';
import { Attention } from '../../platform/resources/contract.ts';
import { callbackRoute } from './callback-route.ts';
import { accountTables } from './migrations/0001-accounts.ts';
import { tokensLast } from './migrations/0002-order.ts';
import { consentUsers } from './migrations/0003-consent-users.ts';
import { clientGrants } from './migrations/0004-client-grants.ts';
import manifest from './plugin.json' with { type: 'json' };
import { accountRoutes } from './routes.ts';
import { AccountTests } from './service/account-tests.ts';
import { AccountService } from './service/account-service.ts';
import { accountsAttention } from './service/attention.ts';
import { Callback } from './service/callback.ts';
import { ClientAccounts } from './service/client-accounts.ts';
import { Consents } from './service/consents.ts';
import { GrantChecks } from './service/grant-checks.ts';
import { granterDepartures } from './service/granter-departures.ts';
import { accountsTopic } from './service/live-accounts.ts';
import { AccountLoop, CHANGED } from './service/loop.ts';
import { registerMetrics } from './service/metrics.ts';
import { ConsoleLinks } from './service/console-links.ts';
import { PresentedAccounts } from './service/presented-accounts.ts';
import { Renewer } from './service/renewer.ts';
import { AccountUse } from './service/use.ts';

/** What most parts need. */
const shared = {
  database: Database,
  sealer: Sealer,
  ids: Ids,
  clock: Clock,
  audit: Audit,
  log: (use: Resolve) => use(Log).child({ plugin: 'accounts' }),
  providers: Providers,
  changed: (use: Resolve) => () => use(Wakeups).topic(CHANGED),
};

const makePlaces = provide(ConsoleLinks, {
  providers: Providers,
  scopes: Scopes,
  origin: (use) => () => use(HttpAddress).public_url() ?? use(HttpAddress).base_url(),
});

interface Services {
  places: (use: Resolve) => ConsoleLinks;
  renewer: (use: Resolve) => Renewer;
  checks: (use: Resolve) => GrantChecks;
  presented: (use: Resolve) => PresentedAccounts;
}

/** The routes for people and programs. */
function registerRoutes(plugin: PluginSetup, { places, renewer, checks }: Services): void {
  const sources = { ...shared, names: CredentialNames, sessions: Sessions, places };
  const service = provide(AccountService, { ...sources, writes: AuditedWrites });
  const consents = provide(Consents, sources);
  const clients = provide(ClientAccounts, sources);
  const tests = provide(AccountTests, {
    ...shared,
    renew: (use) => (key, epoch) => renewer(use).renewIfDue(key, { force: true, epoch }),
    check: (use) => (key) => checks(use).begin(key),
  });
  const callback = provide(Callback, { ...sources, access: AccessControl });
  plugin.contribute(HttpRoutes, provide(accountRoutes, { service, consents, clients, tests, uses: CredentialUses }));
  plugin.contribute(HttpRoutes, (use) => callbackRoute(callback(use), places(use)));
}

/** How accounts are used, and what happens to them in the background. */
function registerUse(plugin: PluginSetup, { places, renewer, checks, presented }: Services): void {
  plugin.contribute(
    CredentialSources,
    provide(AccountUse, {
      ...shared,
      places,
      presented,
      renew: (use) => (key, epoch) => renewer(use).renewIfDue(key, { force: true, epoch }),
      check: (use) => (key) => checks(use).begin(key),
    }),
  );
  plugin.contribute(ActivityObservers, (use) => presented(use).observer((key) => checks(use).begin(key)));
  plugin.contribute(Attention, (use) => accountsAttention(use(Database)));
  plugin.contribute(LiveTopics, provide(accountsTopic, { ...shared, wakeups: Wakeups }));
  plugin.contribute(MembershipObservers, provide(granterDepartures, shared));
}

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([accountTables, tokensLast, consentUsers, clientGrants]);
  const renewer = plugin.own(provide(Renewer, { ...shared, metrics: Metrics }));
  const services: Services = {
    renewer,
    places: plugin.own(makePlaces),
    checks: plugin.own(provide(GrantChecks, { ...shared, renewer })),
    presented: plugin.own(() => new PresentedAccounts()),
  };
  const loop = provide(AccountLoop, { ...shared, renewer, bus: EventBus, wakeups: Wakeups });
  registerRoutes(plugin, services);
  registerUse(plugin, services);
  plugin.onStart(SERVER_ROLES, async (use) => {
    registerMetrics(use(Metrics), use(Database));
    const stop = loop(use).start();
    return async () => {
      await stop();
      await services.checks(use).waitUntilIdle();
    };
  });
});
