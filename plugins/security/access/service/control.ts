import type { Access, AccessControl, Principal, Scope } from '../../../../kernel/contracts/index.ts';
import { Errors } from '../../../../kernel/contracts/index.ts';
import type { Scopes } from '../contract.ts';
import { type Identity, orgRoleOf, projectRoleOf } from '../domain/identity.ts';
import { isUnlimited, orgRank, projectRank } from '../domain/roles.ts';
import type { Identities } from './identities.ts';

type Params = Readonly<Record<string, string>>;

const NO_SCOPE: Scope = Object.freeze({ org_id: '', org: '', project_id: '', project: '' });

/**
 * The access policy: what each kind of access requires of a token. Resources that do not exist and resources of others get the
 * same answer.
 */
export class PolicyControl implements AccessControl {
  readonly #identities: Identities;
  readonly #scopes: Scopes;

  constructor(identities: Identities, scopes: Scopes) {
    this.#identities = identities;
    this.#scopes = scopes;
  }

  async authenticate(authorization: string | undefined): Promise<Principal> {
    return (await this.#identities.authenticate(authorization)).principal;
  }

  async authorize(principal: Principal, access: Access, params: Params): Promise<Scope> {
    if (access.kind === 'public') return NO_SCOPE;
    if (access.kind === 'agent') {
      if (principal.kind !== 'agent') throw Errors.forbidden("this needs an agent's token (svc_agt_…)");
      return NO_SCOPE;
    }
    if (principal.kind !== 'user') throw Errors.forbidden("an agent's token only opens the agent channel");
    // This is checked even where any person has access, because a session ends with the token that it was created from.
    const identity = await this.#identities.get(principal);
    if (access.kind === 'user') return NO_SCOPE;
    return access.kind === 'org'
      ? this.#authorizeOrg(identity, access.role, params)
      : this.#authorizeProject(identity, access.role, params);
  }

  async #authorizeOrg(identity: Identity, needed: 'owner' | 'member', params: Params): Promise<Scope> {
    const org = await this.#scopes.findOrg(params.org ?? '');
    const role = org && orgRoleOf(identity, org.org_id);
    if (!org || !role) throw Errors.notFound(`the org "${params.org}" does not exist, or you are not a member of it`);
    if (orgRank(role) < orgRank(needed))
      throw Errors.forbidden(
        `this requires the ${needed} role in org ${org.org}; yours is ${role}${describeLimits(identity)}`,
      );
    return { ...NO_SCOPE, ...org };
  }

  async #authorizeProject(identity: Identity, needed: 'viewer' | 'member' | 'admin', params: Params): Promise<Scope> {
    const scope = await this.#scopes.findProject(params.org ?? '', params.project ?? '');
    const role = scope && projectRoleOf(identity, scope.org_id, scope.project_id);
    if (!scope || !role)
      throw Errors.notFound(
        `the project "${params.org}/${params.project}" does not exist, or you are not a member of it`,
      );
    if (projectRank(role) < projectRank(needed))
      throw Errors.forbidden(
        `this requires the ${needed} role in project ${scope.project}; yours is ${role}${describeLimits(identity)}`,
      );
    return scope;
  }
}

/** Explains to the holder of a limited token why it may do less than its user. */
const describeLimits = ({ token }: Identity): string =>
  isUnlimited(token.limits) ? '' : ` with the token "${token.name}", which is limited`;
