import {
  Database,
  definePlugin,
  DeliveryRates,
  HttpAddress,
  HttpRoutes,
  Ids,
  type PluginManifest,
  type Resolve,
  Sealer,
} from '../../kernel/contracts/index.ts';
import { Audit } from '../audit/contract.ts';
import { EventBus } from '../bus/contract.ts';
import { ConnectorManifests, SignatureCheck } from '../manifests/contract.ts';
import { HookMinting } from './contract.ts';
import { hookTables } from './migrations/0001-hooks.ts';
import manifest from './plugin.json' with { type: 'json' };
import { deleteHookRoute } from './routes/delete-hook.ts';
import { getHookRoute } from './routes/get-hook.ts';
import { ingestRoute } from './routes/ingest.ts';
import { listHooksRoute } from './routes/list-hooks.ts';
import { putHookRoute } from './routes/put-hook.ts';
import { rotateHookRoute } from './routes/rotate-hook.ts';
import { HookVault, OwnVault } from './service/hook-vault.ts';
import { Ingest } from './service/ingest.ts';
import { createMinting } from './service/mint.ts';

const parts = (use: Resolve) => ({
  database: use(Database),
  sealer: use(Sealer),
  ids: use(Ids),
  manifests: use(ConnectorManifests),
  check: use(SignatureCheck),
});

const makeIngest = (use: Resolve) => new Ingest({ ...parts(use), bus: use(EventBus), rates: use(DeliveryRates) });

function routes(use: Resolve) {
  const vault = use(OwnVault);
  const address = use(HttpAddress);
  return [
    listHooksRoute(vault, address),
    getHookRoute(vault, address),
    putHookRoute(vault, address),
    rotateHookRoute(vault, address),
    deleteHookRoute(vault),
    ingestRoute(makeIngest(use)),
  ];
}

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([hookTables]);
  plugin.bind(OwnVault, (use) => new HookVault({ ...parts(use), audit: use(Audit) }));
  plugin.bind(HookMinting, (use) => createMinting({ ...parts(use), address: use(HttpAddress) }));
  plugin.contribute(HttpRoutes, routes);
});
