import {
  AdminCommands,
  Clock,
  Database,
  definePlugin,
  HealthChecks,
  Ids,
  Log,
  type PluginManifest,
  type Resolve,
  Sealer,
  SERVER_ROLES,
  Settings,
  token,
} from '../../kernel/contracts/index.ts';
import { rekeyCommand } from './commands/rekey.ts';
import { rotateOrgKeyCommand } from './commands/rotate-org-key.ts';
import { vaultTables } from './migrations/0001-vault.ts';
import manifest from './plugin.json' with { type: 'json' };
import { Keyring } from './service/keyring.ts';
import { startRefresher } from './service/refresher.ts';

/** The Sealer with what only this plugin may do to it. */
const OwnKeyring = token<Keyring>('vault.Keyring');

const makeKeyring = (use: Resolve) =>
  new Keyring({
    settings: use(Settings),
    database: use(Database),
    ids: use(Ids),
    log: use(Log).child({ plugin: 'vault' }),
  });

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([vaultTables]);
  plugin.bind(OwnKeyring, makeKeyring);
  plugin.bind(Sealer, (use) => use(OwnKeyring));
  plugin.contribute(AdminCommands, (use) => [rekeyCommand(use(OwnKeyring)), rotateOrgKeyCommand(use(OwnKeyring))]);
  plugin.contribute(HealthChecks, (use) => ({
    name: 'vault',
    check: async () => use(OwnKeyring).checkHealth(),
  }));
  plugin.onInit(SERVER_ROLES, async (use) => {
    await use(OwnKeyring).master();
  });
  plugin.onStart(SERVER_ROLES, async (use) => startRefresher(use(OwnKeyring), use(Clock), use(Log)));
});
