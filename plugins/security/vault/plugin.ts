import {
  AdminCommands,
  Clock,
  Database,
  definePlugin,
  HealthChecks,
  Ids,
  Log,
  provide,
  Sealer,
  SERVER_ROLES,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { MasterKeys } from './contract.ts';
import { rekeyCommand } from './commands/rekey.ts';
import { rotateOrgKeyCommand } from './commands/rotate-org-key.ts';
import { vaultTables } from './migrations/0001-vault.ts';
import { lockVersions } from './migrations/0002-lock-versions.ts';
import manifest from './plugin.json' with { type: 'json' };
import { Keyring } from './service/keyring.ts';
import { masterKeys } from './service/proofs.ts';
import { startRefresher } from './service/refresher.ts';

const makeKeyring = provide(Keyring, {
  settings: Settings,
  database: Database,
  ids: Ids,
  log: (use) => use(Log).child({ plugin: 'vault' }),
});

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([vaultTables, lockVersions]);
  const keyring = plugin.own(makeKeyring);
  plugin.bind(Sealer, keyring);
  plugin.bind(MasterKeys, provide(masterKeys, { settings: Settings, ids: Ids }));
  plugin.contribute(AdminCommands, (use) => [rekeyCommand(keyring(use)), rotateOrgKeyCommand(keyring(use))]);
  plugin.contribute(HealthChecks, (use) => ({
    name: 'vault',
    check: async () => keyring(use).checkHealth(),
  }));
  plugin.onInit(SERVER_ROLES, async (use) => {
    await keyring(use).master();
  });
  plugin.onStart(SERVER_ROLES, async (use) => startRefresher(keyring(use), use(Clock), use(Log)));
});
