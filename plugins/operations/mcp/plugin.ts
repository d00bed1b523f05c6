import { Database, definePlugin, HttpRoutes, Settings } from '../../../kernel/contracts/index.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { Operations } from '../../platform/http/contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { mcpRoute } from './routes.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.contribute(HttpRoutes, (use) =>
    mcpRoute(
      () => ({ operations: use(Operations), database: use(Database), audit: use(Audit) }),
      use(Settings).version,
    ),
  );
});
