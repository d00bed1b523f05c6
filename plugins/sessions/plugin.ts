import {
  AccessControl,
  Clock,
  Database,
  definePlugin,
  HttpAddress,
  HttpRoutes,
  Ids,
  type Resolve,
  Settings,
} from '../../kernel/contracts/index.ts';
import { Members, SessionGrants } from '../access/contract.ts';
import { Audit } from '../audit/contract.ts';
import { CallerSources } from '../http/contract.ts';
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
  const audit = plugin.own(
    (use) => new SessionAudit({ database: use(Database), clock: use(Clock), audit: use(Audit), members: use(Members) }),
  );
  const sessions = plugin.own(
    (use) =>
      new BrowserSessions({
        database: use(Database),
        ids: use(Ids),
        audit: audit(use),
        secure: () => publicUrl(use)()?.startsWith('https:') ?? false,
      }),
  );
  const links = plugin.own(
    (use) =>
      new SignInLinks({
        database: use(Database),
        ids: use(Ids),
        sessions: sessions(use),
        audit: audit(use),
        access: use(AccessControl),
        public_url: publicUrl(use),
        base_url: () => use(HttpAddress).base_url(),
      }),
  );
  plugin.bind(Sessions, sessions);
  plugin.contribute(SessionGrants, (use) => sessionGrants(use(Database)));
  plugin.contribute(
    CallerSources,
    (use) => new SessionGate({ sessions: sessions(use), audit: audit(use), public_url: publicUrl(use) }),
  );
  plugin.contribute(HttpRoutes, (use) => [
    ...sessionRoutes({ sessions: sessions(use), links: links(use) }),
    ...methodRoutes(use.all(SignInMethods)),
  ]);
});
