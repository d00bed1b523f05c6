import {
  Database,
  definePlugin,
  HttpRoutes,
  Ids,
  provide,
  type Resolve,
  Sealer,
} from '../../../kernel/contracts/index.ts';
import { AuditedWrites } from '../../platform/resources/contract.ts';
import { CredentialRuns, JobEnvironment } from '../../engine/runs/contract.ts';
import { SecretStores } from '../secret-stores/contract.ts';
import {
  CredentialNames,
  Credentials,
  CredentialStates,
  CredentialUsers,
  CredentialUses,
  CredentialSources,
} from './contract.ts';
import { credentialTables } from './migrations/0001-credentials.ts';
import { lockVersions } from './migrations/0002-lock-versions.ts';
import { fieldsLast } from './migrations/0003-order.ts';
import { credentialHosts } from './migrations/0004-hosts.ts';
import { credentialSources } from './migrations/0005-sources.ts';
import manifest from './plugin.json' with { type: 'json' };
import usesSchema from './schema/credential-uses.schema.json' with { type: 'json' };
import { credentialRoutes } from './routes.ts';
import { credentialVariables, submitCheck } from './service/inject.ts';
import { createResolver } from './service/resolver.ts';
import { createStates } from './service/states.ts';
import { runUser, findUses } from './service/uses.ts';
import { CredentialService } from './service/credential-service.ts';
import { sqlNames } from './store/names.ts';

const makeService = provide(CredentialService, {
  database: Database,
  sealer: Sealer,
  ids: Ids,
  writes: AuditedWrites,
  names: CredentialNames,
  stores: SecretStores,
});

function routes(use: Resolve) {
  return credentialRoutes(makeService(use), use(CredentialUses));
}

function makeUses(use: Resolve): CredentialUses {
  const deps = { database: use(Database), names: use(CredentialNames), users: use.all(CredentialUsers) };
  return { schema: usesSchema, find: (scope, name) => findUses(deps, scope, name) };
}

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([credentialTables, lockVersions, fieldsLast, credentialHosts, credentialSources]);
  plugin.bind(CredentialNames, () => sqlNames);
  plugin.bind(Credentials, (use) => createResolver(use(Database), use.all(CredentialSources)));
  plugin.bind(CredentialStates, (use) => createStates(use.all(CredentialSources)));
  plugin.bind(CredentialUses, makeUses);
  plugin.contribute(CredentialSources, makeService);
  plugin.contribute(CredentialUsers, (use) => runUser(use(CredentialRuns)));
  plugin.contribute(HttpRoutes, routes);
  plugin.contribute(JobEnvironment, (use) =>
    credentialVariables(use(Credentials), submitCheck(use(Database), use(CredentialStates))),
  );
});
