import {
  Database,
  definePlugin,
  HttpAddress,
  HttpRoutes,
  Ids,
  provide,
  Sealer,
} from '../../../kernel/contracts/index.ts';
import { DeliveryLog } from '../deliveries/contract.ts';
import { DeliveryRates } from '../../platform/http/contract.ts';
import { EventBus, EventInlets } from '../../events/bus/contract.ts';
import { ConnectorManifests, SignatureCheck } from '../manifests/contract.ts';
import { AuditedWrites, type NamedRequest } from '../../platform/resources/contract.ts';
import { HookMinting } from './contract.ts';
import { hookTables } from './migrations/0001-hooks.ts';
import { lockVersions } from './migrations/0002-lock-versions.ts';
import { oldSecrets } from './migrations/0003-old-secrets.ts';
import manifest from './plugin.json' with { type: 'json' };
import { HOOK } from './domain/names.ts';
import { hookRoutes, ingestRoute } from './routes.ts';
import { HookService } from './service/hook-service.ts';
import { Ingest } from './service/ingest.ts';
import { hookInlets } from './service/inlets.ts';
import { createMinting } from './service/mint.ts';

type NamedOne = Pick<NamedRequest, 'scope' | 'name'>;

const shared = {
  database: Database,
  sealer: Sealer,
  ids: Ids,
  manifests: ConnectorManifests,
  check: SignatureCheck,
  address: HttpAddress,
};

const makeIngest = provide(Ingest, { ...shared, bus: EventBus, rates: DeliveryRates, deliveries: DeliveryLog });

const makeService = provide(HookService, { ...shared, writes: AuditedWrites });

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([hookTables, lockVersions, oldSecrets]);
  plugin.bind(HookMinting, provide(createMinting, shared));
  plugin.contribute(EventInlets, (use) => hookInlets(use(Database), use(ConnectorManifests)));
  plugin.contribute(HttpRoutes, (use) => {
    const service = makeService(use);
    const listed = { ...HOOK, source: 'hook', audited: 'hook', find: (call: NamedOne) => service.find(call) } as const;
    return [...hookRoutes(service), ...use(DeliveryLog).routes(listed), ingestRoute(makeIngest(use))];
  });
});
