import { Database, definePlugin, HttpAddress, HttpRoutes, Ids, type Resolve } from '../../kernel/contracts/index.ts';
import { Audit } from '../audit/contract.ts';
import { Sessions } from './contract.ts';
import { sessionTables } from './migrations/0001-sessions.ts';
import manifest from './plugin.json' with { type: 'json' };
import { sessionRoutes } from './routes.ts';
import { BrowserSessions } from './service/browser-sessions.ts';

const makeSessions = (use: Resolve) =>
  new BrowserSessions({ database: use(Database), ids: use(Ids), audit: use(Audit) });

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([sessionTables]);
  const sessions = plugin.own(makeSessions);
  plugin.bind(Sessions, sessions);
  plugin.contribute(HttpRoutes, (use) => sessionRoutes(sessions(use), () => use(HttpAddress)));
});
