import { Errors } from '../../../kernel/contracts/index.ts';
import { type Identity, orgRoleOf, projectRoleOf } from './identity.ts';
import { isWithin, type Limits } from './roles.ts';
import type { TokenKind } from './token.ts';

/** A request for a token, with names resolved to ids. */
export interface TokenWish {
  kind: TokenKind;
  limits: Limits;
  /** Another user for whom an owner creates a token; undefined for the caller. */
  for_user: string | undefined;
  /** Epoch ms. */
  expires_at: number | null;
}

export interface TokenPlan {
  /** `''` for agents. */
  user_id: string;
  limits: Limits;
  expires_at: number | null;
}

/**
 * Nobody creates a token with more rights or a longer life than the token in use. Throws `forbidden`,
 * `invalid_request`, and `not_found` for things that the caller may not know of.
 */
export function planToken(identity: Identity, wish: TokenWish): TokenPlan {
  checkReach(identity, wish.limits);
  const limits = inherit(wish.limits, identity.token.limits);
  const expires_at = expiry(identity, wish.expires_at);
  if (wish.kind === 'agent') return { user_id: '', limits: agentLimits(identity, wish), expires_at };
  if (!isWithin(limits, identity.token.limits))
    throw Errors.forbidden(
      'a new token cannot have more rights than the token that creates it; use a token without limits',
    );
  if (wish.for_user === undefined) return { user_id: identity.principal.id, limits, expires_at };
  requireOwner(identity, limits.org_id, 'to make a token for another member');
  return { user_id: wish.for_user, limits, expires_at };
}

function checkReach(identity: Identity, { org_id, project_id }: Limits): void {
  if (org_id !== null && orgRoleOf(identity, org_id) === undefined)
    throw Errors.notFound('the org does not exist, or you are not a member of it');
  if (org_id !== null && project_id !== null && projectRoleOf(identity, org_id, project_id) === undefined)
    throw Errors.notFound('the project does not exist, or you are not a member of it');
}

/** Limits that are not requested are copied from the token in use. */
function inherit(wish: Limits, own: Limits): Limits {
  return {
    org_id: wish.org_id ?? own.org_id,
    project_id: wish.project_id ?? own.project_id,
    role: wish.role ?? own.role,
  };
}

/** An agent gets the values of every job that it carries out, so only an owner of the org adds one. */
function agentLimits(identity: Identity, wish: TokenWish): Limits {
  const { org_id, project_id, role } = wish.limits;
  const refused = role !== null ? 'role' : wish.for_user !== undefined ? 'user' : undefined;
  if (refused)
    throw Errors.invalidRequest(`an agent's token cannot have ${refused}: it serves an org, or one project of it`, {
      errors: [{ pointer: `/${refused}`, message: "cannot be set for an agent's token" }],
    });
  requireOwner(identity, org_id, "to make an agent's token");
  return { org_id, project_id, role: null };
}

function requireOwner(identity: Identity, org_id: string | null, why: string): void {
  if (org_id === null)
    throw Errors.invalidRequest(`name the org ${why}`, { errors: [{ pointer: '/org', message: 'is missing' }] });
  if (orgRoleOf(identity, org_id) === 'owner') return;
  const { role, project_id } = identity.token.limits;
  const whole = role === null && project_id === null;
  const token = whole ? '' : ', with a token that is limited neither by role nor to a project';
  throw Errors.forbidden(`this needs the role owner of the org${token}, ${why}`);
}

function expiry({ token }: Identity, wished: number | null): number | null {
  if (token.expires_at === null) return wished;
  if (wished === null) return token.expires_at;
  if (wished > token.expires_at)
    throw Errors.forbidden(
      'a new token cannot be valid longer than the token that creates it; use a shorter expires_in',
    );
  return wished;
}
