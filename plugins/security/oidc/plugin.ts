import {
  Clock,
  Database,
  definePlugin,
  Egress,
  HttpAddress,
  HttpRoutes,
  Ids,
  Log,
  type Resolve,
  SERVER_ROLES,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { Members, Scopes } from '../access/contract.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { Prunables } from '../../platform/retention/contract.ts';
import { Sessions, SignInMethods } from '../sessions/contract.ts';
import { readOidcSettings } from './domain/read-settings.ts';
import { oidcTables } from './migrations/0001-oidc.ts';
import manifest from './plugin.json' with { type: 'json' };
import { oidcRoutes, START_PATH } from './routes.ts';
import { Issuer } from './service/issuer.ts';
import { People } from './service/people.ts';
import { prunablePeople } from './service/prunable-people.ts';
import { Roles } from './service/roles.ts';
import { OidcSignIn } from './service/sign-in.ts';

const baseOf = (use: Resolve) => () => use(HttpAddress).public_url() ?? use(HttpAddress).base_url();

function makeIssuer(use: Resolve): Issuer | undefined {
  const settings = readOidcSettings(use(Settings).env);
  return settings && new Issuer({ settings, egress: use(Egress), clock: use(Clock) });
}

function makeSignIn(use: Resolve, issuer: Issuer | undefined): OidcSignIn | undefined {
  const settings = readOidcSettings(use(Settings).env);
  if (!settings || !issuer) return undefined;
  const shared = { database: use(Database), members: use(Members), log: use(Log).child({ plugin: 'oidc' }) };
  return new OidcSignIn({
    ...{ settings, issuer, base: baseOf(use), ids: use(Ids), database: use(Database) },
    ...{ people: new People(shared), roles: new Roles({ ...shared, scopes: use(Scopes) }) },
    ...{ sessions: use(Sessions), audit: use(Audit) },
  });
}

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([oidcTables]);
  const issuer = plugin.own(makeIssuer);
  plugin.contribute(HttpRoutes, (use) => oidcRoutes(makeSignIn(use, issuer(use)), baseOf(use)));
  plugin.contribute(Prunables, (use) => prunablePeople({ database: use(Database), members: use(Members) }));
  plugin.contribute(SignInMethods, (use) => {
    const provider = issuer(use);
    return {
      name: 'oidc',
      view: () => provider && { title: provider.title, start: START_PATH },
      check: async () => provider?.check() ?? { ok: false, says: 'no issuer is configured' },
    };
  });
  plugin.onCheck(SERVER_ROLES, async (use) => void readOidcSettings(use(Settings).env));
});
