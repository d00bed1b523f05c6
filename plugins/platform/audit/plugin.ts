import { Clock, Database, definePlugin, HttpRoutes, Ids } from '../../../kernel/contracts/index.ts';
import { Prunables } from '../retention/contract.ts';
import { Audit } from './contract.ts';
import { auditTables } from './migrations/0001-audit.ts';
import { clusteredEntries } from './migrations/0002-clustered.ts';
import manifest from './plugin.json' with { type: 'json' };
import { auditRoutes } from './routes.ts';
import { SqlAudit } from './service/sql-audit.ts';
import { prunableEntries } from './store/prune.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([auditTables, clusteredEntries]);
  plugin.bind(Audit, (use) => new SqlAudit(use(Database), use(Ids)));
  plugin.contribute(Prunables, (use) => prunableEntries(use(Database)));
  plugin.contribute(HttpRoutes, (use) => auditRoutes(use(Database), use(Clock)));
});
