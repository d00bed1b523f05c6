import {
  AccessControl,
  Clock,
  Database,
  definePlugin,
  HttpAddress,
  HttpRoutes,
  Ids,
  provide,
  type Resolve,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { Members, SessionGrants } from '../access/contract.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { CallerSources } from '../../platform/http/contract.ts';
import { SignInMethods, Sessions } from './contract.ts';
import { methodRoutes } from './method-routes.ts';
import { sessionTables } from './migrations/0001-sessions.ts';
import { cookieTables } from './migrations/0002-cookies.ts';
import manifest from './plugin.json' with { type: 'json' };
import { sessionRoutes } from './routes.ts';
import { BrowserSessions } from './service/browser-sessions.ts';
import { SessionAudit } from './service/session-audit.ts';
import { SessionGate } from './service/session-gate.ts';
import { sessionGrants } from './service/session-grants.ts';
import { SignInLinks } from './service/sign-in-links.ts';

const publicUrl = (use: Resolve) => () => use(Settings).public_url;

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([sessionTables, cookieTables]);
  const audit = plugin.own(provide(SessionAudit, { database: Database, clock: Clock, audit: Audit, members: Members }));
  const sessions = plugin.own(
    provide(BrowserSessions, {
      database: Database,
      ids: Ids,
      audit,
      secure: (use) => () => publicUrl(use)()?.startsWith('https:') ?? false,
    }),
  );
  const links = plugin.own(
    provide(SignInLinks, {
      database: Database,
      ids: Ids,
      sessions,
      audit,
      access: AccessControl,
      public_url: publicUrl,
      base_url: (use) => () => use(HttpAddress).base_url(),
    }),
  );
  plugin.bind(Sessions, sessions);
  plugin.contribute(SessionGrants, (use) => sessionGrants(use(Database)));
  plugin.contribute(CallerSources, provide(SessionGate, { sessions, audit, public_url: publicUrl }));
  plugin.contribute(HttpRoutes, (use) => [
    ...sessionRoutes({ sessions: sessions(use), links: links(use) }),
    ...methodRoutes(use.all(SignInMethods)),
  ]);
});
