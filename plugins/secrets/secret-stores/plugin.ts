import {
  Clock,
  Database,
  definePlugin,
  Egress,
  HttpRoutes,
  Ids,
  provide,
  Sealer,
  SERVER_ROLES,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { AuditedWrites } from '../../platform/resources/contract.ts';
import { SecretStores } from './contract.ts';
import { readCacheTime } from './domain/settings.ts';
import { secretStoreTables } from './migrations/0001-secret-stores.ts';
import manifest from './plugin.json' with { type: 'json' };
import { secretStoreRoutes } from './routes.ts';
import { SecretStoreService } from './service/stores.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([secretStoreTables]);
  const service = plugin.own(
    provide(SecretStoreService, {
      database: Database,
      sealer: Sealer,
      ids: Ids,
      writes: AuditedWrites,
      egress: Egress,
      clock: Clock,
      cache_ms: (use) => readCacheTime(use(Settings).env.SVC_SECRET_STORE_CACHE),
    }),
  );
  plugin.bind(SecretStores, service);
  plugin.contribute(HttpRoutes, (use) => secretStoreRoutes(service(use)));
  plugin.onCheck(SERVER_ROLES, async (use) => void readCacheTime(use(Settings).env.SVC_SECRET_STORE_CACHE));
});
