import {
  Database,
  definePlugin,
  HttpAddress,
  HttpRoutes,
  Ids,
  type Resolve,
  Sealer,
} from '../../kernel/contracts/index.ts';
import { DeliveryLog } from '../deliveries/contract.ts';
import { DeliveryRates } from '../http/contract.ts';
import { EventBus } from '../bus/contract.ts';
import { ConnectorManifests, SignatureCheck } from '../manifests/contract.ts';
import { AuditedWrites, type NamedCall } from '../resources/contract.ts';
import { HookMinting } from './contract.ts';
import { hookTables } from './migrations/0001-hooks.ts';
import { lockVersions } from './migrations/0002-lock-versions.ts';
import { oldSecrets } from './migrations/0003-old-secrets.ts';
import manifest from './plugin.json' with { type: 'json' };
import { HOOK } from './domain/names.ts';
import { hookRoutes, ingestRoute } from './routes.ts';
import { HookService } from './service/hook-service.ts';
import { Ingest } from './service/ingest.ts';
import { createMinting } from './service/mint.ts';

type NamedOne = Pick<NamedCall, 'scope' | 'name'>;

const parts = (use: Resolve) => ({
  database: use(Database),
  sealer: use(Sealer),
  ids: use(Ids),
  manifests: use(ConnectorManifests),
  check: use(SignatureCheck),
  address: use(HttpAddress),
});

const makeIngest = (use: Resolve) =>
  new Ingest({ ...parts(use), bus: use(EventBus), rates: use(DeliveryRates), deliveries: use(DeliveryLog) });

const makeService = (use: Resolve) => new HookService({ ...parts(use), writes: use(AuditedWrites) });

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([hookTables, lockVersions, oldSecrets]);
  plugin.bind(HookMinting, (use) => createMinting(parts(use)));
  plugin.contribute(HttpRoutes, (use) => {
    const service = makeService(use);
    const listed = { ...HOOK, source: 'hook', audited: 'hook', find: (call: NamedOne) => service.find(call) } as const;
    return [...hookRoutes(service), ...use(DeliveryLog).routes(listed), ingestRoute(makeIngest(use))];
  });
});
