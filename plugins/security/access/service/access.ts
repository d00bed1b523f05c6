import { Clock, Database, Ids, type Resolve, token } from '../../../../kernel/contracts/index.ts';
import { Audit } from '../../../platform/audit/contract.ts';
import { MembershipObservers, type Scopes, SessionGrants } from '../contract.ts';
import { defineModels, type Models } from '../store/models.ts';
import { Directory } from './directory.ts';
import { Identities } from './identities.ts';
import { Invitations } from './invitations.ts';
import { LastUse } from './last-use.ts';
import { PendingInvitations } from './pending-invitations.ts';
import { CachedScopes } from './scopes.ts';
import { Tokens } from './tokens.ts';

/** The services of this plugin, created once and shared by its routes and commands. */
export interface Access {
  database: Database;
  ids: Ids;
  models: Models;
  scopes: Scopes;
  identities: Identities;
  last_use: LastUse;
  directory: Directory;
  invitations: Invitations;
  tokens: Tokens;
}

export const Access = token<Access>('access.Access');

export function makeAccess(use: Resolve): Access {
  const database = use(Database);
  const ids = use(Ids);
  const audit = use(Audit);
  const models = defineModels(database.sequelize);
  const scopes = new CachedScopes(database);
  const last_use = new LastUse(models, database);
  const identities = new Identities({ database, clock: use(Clock), last_use, sessions: use.all(SessionGrants) });
  const tokens = new Tokens({ models, database, ids, scopes, identities, audit });
  const pending = new PendingInvitations({ database, ids, audit });
  const directory = new Directory({
    database,
    ids,
    identities,
    observers: use.all(MembershipObservers),
    audit,
    pending,
    tokens,
  });
  const invitations = new Invitations({ models, database, directory, pending });
  return { database, ids, models, scopes, identities, last_use, directory, invitations, tokens };
}
