import {
  Clock,
  Database,
  definePlugin,
  HttpRoutes,
  Ids,
  Log,
  Metrics,
  provide,
  Sealer,
  SERVER_ROLES,
} from '../../../kernel/contracts/index.ts';
import { Wakeups } from '../../engine/runs/contract.ts';
import { EventBus, EventInlets } from '../../events/bus/contract.ts';
import { Attention, AuditedWrites } from '../../platform/resources/contract.ts';
import { CredentialStates, CredentialUsers } from '../../secrets/credentials/contract.ts';
import { ConnectorTriggers } from '../connectors/contract.ts';
import { ConnectorManifests } from '../manifests/contract.ts';
import { DirectRequests } from '../requests/contract.ts';
import { triggerTables } from './migrations/0001-triggers.ts';
import manifest from './plugin.json' with { type: 'json' };
import { triggerRoutes } from './routes.ts';
import { triggersAttention } from './service/attention.ts';
import { triggerCredentialUser } from './service/credential-uses.ts';
import { triggerInlets } from './service/inlets.ts';
import { Poller } from './service/poller.ts';
import { Triggers } from './service/triggers.ts';

const makeTriggers = provide(Triggers, {
  database: Database,
  sealer: Sealer,
  ids: Ids,
  writes: AuditedWrites,
  sources: ConnectorTriggers,
  manifests: ConnectorManifests,
  states: CredentialStates,
  wakeups: Wakeups,
});

const makePoller = provide(Poller, {
  database: Database,
  sealer: Sealer,
  bus: EventBus,
  requests: DirectRequests,
  sources: ConnectorTriggers,
  wakeups: Wakeups,
  clock: Clock,
  log: (use) => use(Log).child({ plugin: 'triggers' }),
  metrics: Metrics,
});

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([triggerTables]);
  plugin.contribute(HttpRoutes, (use) => triggerRoutes(makeTriggers(use)));
  plugin.contribute(EventInlets, (use) => triggerInlets(use(Database), use(ConnectorTriggers)));
  plugin.contribute(CredentialUsers, (use) => triggerCredentialUser(use(Database)));
  plugin.contribute(Attention, (use) => triggersAttention(use(Database)));
  plugin.onStart(SERVER_ROLES, async (use) => makePoller(use).start());
});
