import {
  Clock,
  Database,
  definePlugin,
  DeliveryRates,
  Egress,
  Expressions,
  HttpAddress,
  HttpRoutes,
  Ids,
  Log,
  type PluginManifest,
  type Resolve,
  Sealer,
  SERVER_ROLES,
} from '../../kernel/contracts/index.ts';
import { Audit } from '../audit/contract.ts';
import { EventBus, EventReactions } from '../bus/contract.ts';
import { Credentials, CredentialUsers } from '../credentials/contract.ts';
import { HandlerMatches } from '../handlers/contract.ts';
import { ConnectorManifests, SignatureCheck } from '../manifests/contract.ts';
import { RunCreation } from '../runs/contract.ts';
import { webhookTables } from './migrations/0001-webhooks.ts';
import manifest from './plugin.json' with { type: 'json' };
import { forgeRoutes } from './routes/index.ts';
import { webhookUser } from './service/credential-user.ts';
import { Deliveries, OwnDeliveries } from './service/deliveries.ts';
import { Forges, OwnForges } from './service/forges.ts';
import { inlineWorkflows } from './service/inline-workflows.ts';
import { Registration } from './service/registration.ts';
import { OwnWebhooks, Webhooks } from './service/webhooks.ts';

const makeWebhooks = (use: Resolve) =>
  new Webhooks({
    database: use(Database),
    sealer: use(Sealer),
    ids: use(Ids),
    audit: use(Audit),
    creation: use(RunCreation),
    forges: use(OwnForges),
    registration: new Registration({ egress: use(Egress), credentials: use(Credentials), log: use(Log) }),
    address: use(HttpAddress),
  });

const makeDeliveries = (use: Resolve) =>
  new Deliveries({
    database: use(Database),
    sealer: use(Sealer),
    clock: use(Clock),
    rates: use(DeliveryRates),
    signatures: use(SignatureCheck),
    forges: use(OwnForges),
    bus: use(EventBus),
  });

const makeReaction = (use: Resolve) =>
  inlineWorkflows({
    sealer: use(Sealer),
    creation: use(RunCreation),
    handlers: use(HandlerMatches),
    forges: use(OwnForges),
  });

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([webhookTables]);
  plugin.bind(OwnForges, () => new Forges());
  plugin.bind(OwnWebhooks, makeWebhooks);
  plugin.bind(OwnDeliveries, makeDeliveries);
  plugin.contribute(EventReactions, makeReaction);
  plugin.contribute(CredentialUsers, (use) => webhookUser(use(Database)));
  plugin.contribute(HttpRoutes, (use) => forgeRoutes(use(OwnWebhooks), use(OwnDeliveries)));
  plugin.onInit(SERVER_ROLES, async (use) => use(OwnForges).load(use(ConnectorManifests), use(Expressions)));
});
