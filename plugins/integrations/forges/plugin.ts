import {
  Clock,
  Database,
  deferred,
  definePlugin,
  Egress,
  Expressions,
  HttpAddress,
  HttpRoutes,
  Ids,
  Log,
  provide,
  Sealer,
  SERVER_ROLES,
} from '../../../kernel/contracts/index.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { DeliveryLog } from '../deliveries/contract.ts';
import { DeliveryRates } from '../../platform/http/contract.ts';
import { EventBus, EventInlets, EventReactions } from '../../events/bus/contract.ts';
import { Credentials, CredentialUsers } from '../../secrets/credentials/contract.ts';
import { FlowNodes } from '../../engine/flows/contract.ts';
import { HandlerMatches } from '../../events/handlers/contract.ts';
import { ConnectorChecks, Connectors, SignatureCheck } from '../manifests/contract.ts';
import { AuditedWrites, type NamedRequest } from '../../platform/resources/contract.ts';
import { FileHolders, RunCreation, RunOrigins } from '../../engine/runs/contract.ts';
import { RepositorySources } from '../../execution/scripts/contract.ts';
import { workflowFileReferences, StoredWorkflows, WorkflowHolders } from '../../events/workflows/contract.ts';
import { ForgeEvents } from './contract.ts';
import { webhookTables } from './migrations/0001-webhooks.ts';
import { oldSecrets } from './migrations/0002-old-secrets.ts';
import { workflowsLast } from './migrations/0003-order.ts';
import { repoFileNode } from './nodes/repo-file.ts';
import { listNamingFiles } from './store/webhooks.ts';
import manifest from './plugin.json' with { type: 'json' };
import { deliveryRoute, webhookRoutes } from './routes.ts';
import { WEBHOOK } from './domain/webhook-rules.ts';
import { webhookUser } from './service/credential-user.ts';
import { Deliveries } from './service/deliveries.ts';
import { createForgeEvents } from './service/forge-events.ts';
import { forgeCheck } from './service/forge-check.ts';
import { Forges } from './service/forges.ts';
import { webhookHolder, webhookInlets } from './service/workflow-holder.ts';
import { inlineWorkflows } from './service/inline-workflows.ts';
import { createFileRequest } from './service/repo-files.ts';
import { forgeRepositories } from './service/repositories.ts';
import { Registration } from './service/registration.ts';
import { Webhooks } from './service/webhooks.ts';

type NamedOne = Pick<NamedRequest, 'scope' | 'name'>;

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([webhookTables, oldSecrets, workflowsLast]);
  const forges = plugin.own(() => new Forges());
  const webhooks = plugin.own(
    provide(Webhooks, {
      database: Database,
      sealer: Sealer,
      ids: Ids,
      writes: AuditedWrites,
      workflows: StoredWorkflows,
      forges,
      registration: provide(Registration, { egress: Egress, credentials: Credentials, log: Log }),
      address: HttpAddress,
    }),
  );
  const deliveries = provide(Deliveries, {
    database: Database,
    sealer: Sealer,
    clock: Clock,
    rates: DeliveryRates,
    signatures: SignatureCheck,
    forges,
    bus: EventBus,
    audit: Audit,
    deliveries: DeliveryLog,
  });
  plugin.bind(ForgeEvents, (use) => createForgeEvents(forges(use)));
  plugin.contribute(
    RepositorySources,
    provide(forgeRepositories, { bus: deferred(EventBus), origins: deferred(RunOrigins), forges }),
  );
  plugin.contribute(FlowNodes, (use) =>
    repoFileNode(
      () => createFileRequest(forges(use)),
      () => use.all(FlowNodes),
    ),
  );
  plugin.contribute(
    EventReactions,
    provide(inlineWorkflows, {
      workflows: StoredWorkflows,
      creation: RunCreation,
      handlers: HandlerMatches,
      forges,
    }),
  );
  plugin.contribute(
    WorkflowHolders,
    provide(webhookHolder, { database: Database, sealer: Sealer, workflows: StoredWorkflows }),
  );
  plugin.contribute(EventInlets, (use) => webhookInlets(use(Database)));
  plugin.contribute(FileHolders, (use) =>
    workflowFileReferences('forges', 'webhooks', (...of) => listNamingFiles(use(Database), ...of)),
  );
  plugin.contribute(CredentialUsers, (use) => webhookUser(use(Database)));
  plugin.contribute(HttpRoutes, (use) => {
    const service = webhooks(use);
    const listed = {
      ...WEBHOOK,
      source: 'forge',
      audited: 'webhook',
      find: (call: NamedOne) => service.find(call),
    } as const;
    return [...webhookRoutes(service), ...use(DeliveryLog).routes(listed), deliveryRoute(deliveries(use))];
  });
  plugin.contribute(ConnectorChecks, () => forgeCheck);
  plugin.onInit(SERVER_ROLES, async (use) => forges(use).load(use.all(Connectors), use(Expressions)));
});
