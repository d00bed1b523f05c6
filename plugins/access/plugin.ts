import {
  AccessControl,
  AdminCommands,
  Clock,
  definePlugin,
  HttpAddress,
  HttpRoutes,
  Ids,
  Log,
  type PluginManifest,
  SERVER_ROLES,
  Settings,
} from '../../kernel/contracts/index.ts';
import { bootstrapCommand } from './commands/bootstrap.ts';
import { Bootstrap, Reach, Scopes } from './contract.ts';
import { accessTables } from './migrations/0001-access.ts';
import manifest from './plugin.json' with { type: 'json' };
import { accessRoutes } from './routes/index.ts';
import { Access } from './service/access.ts';
import { OwnerBootstrap } from './service/bootstrap.ts';
import { PolicyControl } from './service/control.ts';
import { startLastUse } from './service/last-use.ts';
import { makeAccess } from './service/make-access.ts';
import { writeDevProfile } from './service/profile.ts';
import { IdentityReach } from './service/reach.ts';

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([accessTables]);
  plugin.bind(Access, makeAccess);
  plugin.bind(Scopes, (use) => use(Access).scopes);
  plugin.bind(Reach, (use) => new IdentityReach(use(Access).identities));
  plugin.bind(AccessControl, (use) => new PolicyControl(use(Access).identities, use(Access).scopes));
  plugin.bind(Bootstrap, (use) => {
    const { models, directory, tokens } = use(Access);
    return new OwnerBootstrap(models, directory, tokens);
  });
  plugin.contribute(HttpRoutes, (use) => accessRoutes(use(Access)));
  plugin.contribute(AdminCommands, () => bootstrapCommand);
  plugin.onStart(SERVER_ROLES, async (use) => startLastUse(use(Access).last_use, use(Clock), use(Log)));
  plugin.onReady(['dev', 'local'], (use) =>
    writeDevProfile({
      settings: use(Settings),
      address: use(HttpAddress),
      bootstrap: use(Bootstrap),
      ids: use(Ids),
    }),
  );
});
