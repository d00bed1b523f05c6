import { AccessControl, Database, definePlugin, HttpRoutes, Ids } from '../../../kernel/contracts/index.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { appliedTables } from './migrations/0001-applied.ts';
import manifest from './plugin.json' with { type: 'json' };
import { appliedRoutes } from './routes.ts';
import { AppliedObjects } from './service/applied.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([appliedTables]);
  plugin.contribute(HttpRoutes, (use) =>
    appliedRoutes(
      new AppliedObjects({ database: use(Database), ids: use(Ids), audit: use(Audit) }),
      use(AccessControl),
    ),
  );
});
