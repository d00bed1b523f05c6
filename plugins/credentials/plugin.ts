import { Database, definePlugin, HttpRoutes, Ids, type Resolve, Sealer } from '../../kernel/contracts/index.ts';
import { AuditedWrites } from '../resources/contract.ts';
import { CredentialChecks, CredentialRuns, JobEnvironment } from '../runs/contract.ts';
import {
  CredentialNames,
  Credentials,
  CredentialStates,
  CredentialUsers,
  CredentialUses,
  NameHolders,
} from './contract.ts';
import { credentialTables } from './migrations/0001-credentials.ts';
import { lockVersions } from './migrations/0002-lock-versions.ts';
import { fieldsLast } from './migrations/0003-order.ts';
import manifest from './plugin.json' with { type: 'json' };
import usesSchema from './schema/credential-uses.schema.json' with { type: 'json' };
import { credentialRoutes } from './routes.ts';
import { credentialVariables, submitCheck } from './service/inject.ts';
import { createResolver } from './service/resolver.ts';
import { createStates } from './service/states.ts';
import { runUser, usesOf } from './service/uses.ts';
import { CredentialService } from './service/credential-service.ts';
import { sqlNames } from './store/names.ts';

const makeService = (use: Resolve) =>
  new CredentialService({
    database: use(Database),
    sealer: use(Sealer),
    ids: use(Ids),
    writes: use(AuditedWrites),
    names: use(CredentialNames),
  });

function routes(use: Resolve) {
  return credentialRoutes(makeService(use), use(CredentialUses));
}

function makeUses(use: Resolve): CredentialUses {
  const parts = { database: use(Database), names: use(CredentialNames), users: use.all(CredentialUsers) };
  return { schema: usesSchema, of: (scope, name) => usesOf(parts, scope, name) };
}

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([credentialTables, lockVersions, fieldsLast]);
  plugin.bind(CredentialNames, () => sqlNames);
  plugin.bind(Credentials, (use) => createResolver(use(Database), use.all(NameHolders)));
  plugin.bind(CredentialStates, (use) => createStates(use.all(NameHolders)));
  plugin.bind(CredentialUses, makeUses);
  plugin.contribute(NameHolders, makeService);
  plugin.contribute(CredentialUsers, (use) => runUser(use(CredentialRuns)));
  plugin.contribute(HttpRoutes, routes);
  plugin.contribute(CredentialChecks, (use) => submitCheck(use(Database), use(CredentialStates)));
  plugin.contribute(JobEnvironment, (use) => credentialVariables(use(Credentials)));
});
