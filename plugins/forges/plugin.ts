import {
  Clock,
  Database,
  definePlugin,
  Egress,
  Expressions,
  HttpAddress,
  HttpRoutes,
  Ids,
  Log,
  type Resolve,
  Sealer,
  SERVER_ROLES,
} from '../../kernel/contracts/index.ts';
import { Audit } from '../audit/contract.ts';
import { DeliveryLog } from '../deliveries/contract.ts';
import { DeliveryRates } from '../http/contract.ts';
import { EventBus, EventReactions } from '../bus/contract.ts';
import { Credentials, CredentialUsers } from '../credentials/contract.ts';
import { FlowNodes } from '../flows/contract.ts';
import { HandlerMatches } from '../handlers/contract.ts';
import { Connectors, SignatureCheck } from '../manifests/contract.ts';
import { AuditedWrites, type NamedCall } from '../resources/contract.ts';
import { FileHolders, RunCreation, RunOrigins } from '../runs/contract.ts';
import { RepositorySources } from '../scripts/contract.ts';
import { heldByWorkflows, StoredWorkflows } from '../workflows/contract.ts';
import { ForgeEvents } from './contract.ts';
import { webhookTables } from './migrations/0001-webhooks.ts';
import { oldSecrets } from './migrations/0002-old-secrets.ts';
import { workflowsLast } from './migrations/0003-order.ts';
import { repoFileNode } from './nodes/repo-file.ts';
import { namingFiles } from './store/webhooks.ts';
import manifest from './plugin.json' with { type: 'json' };
import { deliveryRoute, webhookRoutes } from './routes.ts';
import { WEBHOOK } from './domain/webhook-rules.ts';
import { webhookUser } from './service/credential-user.ts';
import { Deliveries } from './service/deliveries.ts';
import { createForgeEvents } from './service/forge-events.ts';
import { Forges } from './service/forges.ts';
import { inlineWorkflows } from './service/inline-workflows.ts';
import { requestOfFile } from './service/repo-files.ts';
import { forgeRepositories } from './service/repositories.ts';
import { Registration } from './service/registration.ts';
import { Webhooks } from './service/webhooks.ts';

type NamedOne = Pick<NamedCall, 'scope' | 'name'>;

const makeWebhooks = (use: Resolve, forges: Forges) =>
  new Webhooks({
    database: use(Database),
    sealer: use(Sealer),
    ids: use(Ids),
    writes: use(AuditedWrites),
    workflows: use(StoredWorkflows),
    forges,
    registration: new Registration({ egress: use(Egress), credentials: use(Credentials), log: use(Log) }),
    address: use(HttpAddress),
  });

const makeDeliveries = (use: Resolve, forges: Forges) =>
  new Deliveries({
    database: use(Database),
    sealer: use(Sealer),
    clock: use(Clock),
    rates: use(DeliveryRates),
    signatures: use(SignatureCheck),
    forges,
    bus: use(EventBus),
    audit: use(Audit),
    deliveries: use(DeliveryLog),
  });

const makeReaction = (use: Resolve, forges: Forges) =>
  inlineWorkflows({
    workflows: use(StoredWorkflows),
    creation: use(RunCreation),
    handlers: use(HandlerMatches),
    forges,
  });

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([webhookTables, oldSecrets, workflowsLast]);
  const forges = plugin.own(() => new Forges());
  plugin.bind(ForgeEvents, (use) => createForgeEvents(forges(use)));
  plugin.contribute(RepositorySources, (use) =>
    forgeRepositories({ bus: () => use(EventBus), origins: () => use(RunOrigins) }),
  );
  plugin.contribute(FlowNodes, (use) =>
    repoFileNode(
      () => requestOfFile(forges(use)),
      () => use.all(FlowNodes),
    ),
  );
  plugin.contribute(EventReactions, (use) => makeReaction(use, forges(use)));
  plugin.contribute(FileHolders, (use) =>
    heldByWorkflows('forges', (project_id) => namingFiles(use(Database), project_id)),
  );
  plugin.contribute(CredentialUsers, (use) => webhookUser(use(Database)));
  plugin.contribute(HttpRoutes, (use) => {
    const service = makeWebhooks(use, forges(use));
    const listed = {
      ...WEBHOOK,
      source: 'forge',
      audited: 'webhook',
      find: (call: NamedOne) => service.find(call),
    } as const;
    const deliveries = makeDeliveries(use, forges(use));
    return [...webhookRoutes(service), ...use(DeliveryLog).routes(listed), deliveryRoute(deliveries)];
  });
  plugin.onInit(SERVER_ROLES, async (use) => forges(use).load(use.all(Connectors), use(Expressions)));
});
