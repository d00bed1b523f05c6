import {
  Database,
  definePlugin,
  HttpRoutes,
  Ids,
  type PluginManifest,
  type Resolve,
  Sealer,
} from '../../kernel/contracts/index.ts';
import { Audit } from '../audit/contract.ts';
import { JobEnvironment } from '../runs/contract.ts';
import { Secrets } from './contract.ts';
import { secretTables } from './migrations/0001-secrets.ts';
import manifest from './plugin.json' with { type: 'json' };
import { deleteSecretRoute } from './routes/delete-secret.ts';
import { getSecretRoute } from './routes/get-secret.ts';
import { listSecretsRoute } from './routes/list-secrets.ts';
import { putSecretRoute } from './routes/put-secret.ts';
import { secretVariables } from './service/inject.ts';
import { OwnVault, SecretVault } from './service/vault.ts';

const makeVault = (use: Resolve) =>
  new SecretVault({ database: use(Database), sealer: use(Sealer), ids: use(Ids), audit: use(Audit) });

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([secretTables]);
  plugin.bind(OwnVault, makeVault);
  plugin.bind(Secrets, (use) => use(OwnVault));
  plugin.contribute(HttpRoutes, (use) => {
    const vault = use(OwnVault);
    return [listSecretsRoute(vault), getSecretRoute(vault), putSecretRoute(vault), deleteSecretRoute(vault)];
  });
  plugin.contribute(JobEnvironment, (use) => secretVariables(use(Secrets)));
});
