import { Clock, Database, Ids, type Resolve } from '../../../kernel/contracts/index.ts';
import { Audit } from '../../audit/contract.ts';
import { MembershipObservers } from '../contract.ts';
import { defineModels } from '../store/models.ts';
import type { Access } from './access.ts';
import { Directory } from './directory.ts';
import { Identities } from './identities.ts';
import { LastUse } from './last-use.ts';
import { CachedScopes } from './scopes.ts';
import { Tokens } from './tokens.ts';

export function makeAccess(use: Resolve): Access {
  const database = use(Database);
  const ids = use(Ids);
  const audit = use(Audit);
  const models = defineModels(database.sequelize);
  const scopes = new CachedScopes(database);
  const last_use = new LastUse(models, database);
  const identities = new Identities({ database, clock: use(Clock), last_use });
  const directory = new Directory({ database, ids, identities, observers: use.all(MembershipObservers), audit });
  const tokens = new Tokens({ models, database, ids, scopes, identities, audit });
  return { database, models, scopes, identities, last_use, directory, tokens };
}
