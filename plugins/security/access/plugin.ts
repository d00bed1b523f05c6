import {
  AccessControl,
  AdminCommands,
  Clock,
  definePlugin,
  HttpAddress,
  HttpRoutes,
  Ids,
  Log,
  provide,
  SERVER_ROLES,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { bootstrapCommand } from './commands/bootstrap.ts';
import { Bootstrap, Members, VisibleOrgs, Scopes } from './contract.ts';
import { accessTables } from './migrations/0001-access.ts';
import { lockVersions } from './migrations/0002-lock-versions.ts';
import { mintedBy } from './migrations/0003-minted-by.ts';
import { invitations } from './migrations/0004-invitations.ts';
import { renewedBy } from './migrations/0005-renewed-by.ts';
import manifest from './plugin.json' with { type: 'json' };
import { accessRoutes } from './routes.ts';
import { Access, makeAccess } from './service/access.ts';
import { OwnerBootstrap } from './service/bootstrap.ts';
import { PolicyControl } from './service/control.ts';
import { startLastUse } from './service/last-use.ts';
import { AccessMembers } from './service/members.ts';
import { writeDevProfile } from './service/profile.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([accessTables, lockVersions, mintedBy, invitations, renewedBy]);
  plugin.bind(Access, makeAccess);
  plugin.bind(Scopes, (use) => use(Access).scopes);
  plugin.bind(VisibleOrgs, (use) => use(Access).identities);
  plugin.bind(AccessControl, (use) => new PolicyControl(use(Access).identities, use(Access).scopes));
  plugin.bind(Bootstrap, (use) => new OwnerBootstrap(use(Access)));
  plugin.bind(Members, (use) => new AccessMembers(use(Access)));
  plugin.contribute(HttpRoutes, (use) => accessRoutes(use(Access)));
  plugin.contribute(AdminCommands, () => bootstrapCommand);
  plugin.onStart(SERVER_ROLES, async (use) => startLastUse(use(Access).last_use, use(Clock), use(Log)));
  plugin.onReady(
    ['dev', 'local'],
    provide(writeDevProfile, { settings: Settings, address: HttpAddress, bootstrap: Bootstrap, ids: Ids }),
  );
});
