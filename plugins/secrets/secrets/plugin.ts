import { Database, definePlugin, HttpRoutes, Ids, provide, Sealer } from '../../../kernel/contracts/index.ts';
import { AuditedWrites } from '../../platform/resources/contract.ts';
import { JobEnvironment } from '../../engine/runs/contract.ts';
import { SecretStores } from '../secret-stores/contract.ts';
import { Secrets } from './contract.ts';
import { secretTables } from './migrations/0001-secrets.ts';
import { valuesLast } from './migrations/0002-order.ts';
import { secretSources } from './migrations/0003-sources.ts';
import manifest from './plugin.json' with { type: 'json' };
import { secretRoutes } from './routes.ts';
import { secretVariables } from './service/inject.ts';
import { SecretService } from './service/secret-service.ts';

const makeService = provide(SecretService, {
  database: Database,
  sealer: Sealer,
  ids: Ids,
  writes: AuditedWrites,
  stores: SecretStores,
});

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([secretTables, valuesLast, secretSources]);
  plugin.bind(Secrets, makeService);
  plugin.contribute(HttpRoutes, (use) => secretRoutes(makeService(use)));
  plugin.contribute(JobEnvironment, (use) => secretVariables(use(Secrets)));
});
