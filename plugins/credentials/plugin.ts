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
import { CredentialChecks, CredentialRuns, JobEnvironment } from '../runs/contract.ts';
import { CredentialNames, Credentials, CredentialUsers, NameHolders } from './contract.ts';
import { credentialTables } from './migrations/0001-credentials.ts';
import manifest from './plugin.json' with { type: 'json' };
import { deleteCredentialRoute } from './routes/delete-credential.ts';
import { getUsesRoute } from './routes/get-uses.ts';
import { listCredentialsRoute } from './routes/list-credentials.ts';
import { putCredentialRoute } from './routes/put-credential.ts';
import { credentialVariables, submitCheck } from './service/inject.ts';
import { createResolver } from './service/resolver.ts';
import { runUser, usesOf } from './service/uses.ts';
import { CredentialVault, OwnVault } from './service/vault.ts';
import { sqlNames } from './store/names.ts';

const makeVault = (use: Resolve) =>
  new CredentialVault({
    database: use(Database),
    sealer: use(Sealer),
    ids: use(Ids),
    audit: use(Audit),
    names: use(CredentialNames),
  });

const makeResolver = (use: Resolve) =>
  createResolver({
    database: use(Database),
    names: use(CredentialNames),
    vault: use(OwnVault),
    holders: use.all(NameHolders),
  });

function routes(use: Resolve) {
  const vault = use(OwnVault);
  const parts = { database: use(Database), names: use(CredentialNames), users: use.all(CredentialUsers) };
  return [
    listCredentialsRoute(vault),
    putCredentialRoute(vault),
    deleteCredentialRoute(vault),
    getUsesRoute((scope, name) => usesOf(parts, scope, name)),
  ];
}

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([credentialTables]);
  plugin.bind(CredentialNames, () => sqlNames);
  plugin.bind(OwnVault, makeVault);
  plugin.bind(Credentials, makeResolver);
  plugin.contribute(NameHolders, (use) => use(OwnVault));
  plugin.contribute(CredentialUsers, (use) => runUser(use(CredentialRuns)));
  plugin.contribute(HttpRoutes, routes);
  plugin.contribute(CredentialChecks, (use) => submitCheck(use(Database), use(CredentialNames)));
  plugin.contribute(JobEnvironment, (use) => credentialVariables(use(Credentials)));
});
