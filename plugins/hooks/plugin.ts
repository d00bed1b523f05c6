import {
  Database,
  definePlugin,
  HttpAddress,
  HttpRoutes,
  Ids,
  type Resolve,
  Sealer,
} from '../../kernel/contracts/index.ts';
import { DeliveryRates } from '../http/contract.ts';
import { EventBus } from '../bus/contract.ts';
import { ConnectorManifests, SignatureCheck } from '../manifests/contract.ts';
import { AuditedWrites } from '../resources/contract.ts';
import { HookMinting } from './contract.ts';
import { hookTables } from './migrations/0001-hooks.ts';
import { lockVersions } from './migrations/0002-lock-versions.ts';
import manifest from './plugin.json' with { type: 'json' };
import { hookRoutes, ingestRoute } from './routes.ts';
import { HookService } from './service/hook-service.ts';
import { Ingest } from './service/ingest.ts';
import { createMinting } from './service/mint.ts';

const parts = (use: Resolve) => ({
  database: use(Database),
  sealer: use(Sealer),
  ids: use(Ids),
  manifests: use(ConnectorManifests),
  check: use(SignatureCheck),
  address: use(HttpAddress),
});

const makeIngest = (use: Resolve) => new Ingest({ ...parts(use), bus: use(EventBus), rates: use(DeliveryRates) });

const makeService = (use: Resolve) => new HookService({ ...parts(use), writes: use(AuditedWrites) });

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([hookTables, lockVersions]);
  plugin.bind(HookMinting, (use) => createMinting(parts(use)));
  plugin.contribute(HttpRoutes, (use) => [...hookRoutes(makeService(use)), ingestRoute(makeIngest(use))]);
});
