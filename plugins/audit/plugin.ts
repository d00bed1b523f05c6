import {
  Clock,
  Database,
  definePlugin,
  HttpRoutes,
  Ids,
  type PluginManifest,
  Prunables,
} from '../../kernel/contracts/index.ts';
import { Audit } from './contract.ts';
import { auditTables } from './migrations/0001-audit.ts';
import manifest from './plugin.json' with { type: 'json' };
import { listOrgAuditRoute, listProjectAuditRoute } from './routes/list-audit.ts';
import { SqlAudit } from './service/sql-audit.ts';
import { prunableEntries } from './store/prune.ts';

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([auditTables]);
  plugin.bind(Audit, (use) => new SqlAudit(use(Database), use(Ids)));
  plugin.contribute(Prunables, (use) => prunableEntries(use(Database)));
  plugin.contribute(HttpRoutes, (use) => {
    const parts = { database: use(Database), clock: use(Clock) };
    return [listOrgAuditRoute(parts), listProjectAuditRoute(parts)];
  });
});
