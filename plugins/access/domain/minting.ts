import { Errors } from '../../../kernel/contracts/index.ts';
import { type Identity, orgRoleOf, projectRoleOf } from './identity.ts';
import { isWithin, type Limits } from './roles.ts';
import type { TokenKind } from './token.ts';

/** What a caller asks for, with names turned into ids. */
export interface TokenWish {
  kind: TokenKind;
  limits: Limits;
  /** Another user, for whom an owner makes a token; undefined for the caller. */
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
 * Nobody makes a token that can do more, or lives longer, than the one in their hand. Throws `forbidden`,
 * `invalid_request`, and `not_found` for what the caller may not know of.
 */
export function planToken(identity: Identity, wish: TokenWish): TokenPlan {
  checkReach(identity, wish.limits);
  const limits = inherit(wish.limits, identity.token.limits);
  const expires_at = expiry(identity, wish.expires_at);
  if (wish.kind === 'agent') return { user_id: '', limits: agentLimits(identity, wish), expires_at };
  if (!isWithin(limits, identity.token.limits))
    throw Errors.forbidden('a token cannot be given more than the one that makes it has; use a token without limits');
  if (wish.for_user === undefined) return { user_id: identity.principal.id, limits, expires_at };
  requireOwner(identity, limits.org_id, 'to make a token for another member');
  return { user_id: wish.for_user, limits, expires_at };
}

function checkReach(identity: Identity, { org_id, project_id }: Limits): void {
  if (org_id !== null && orgRoleOf(identity, org_id) === undefined)
    throw Errors.notFound('there is no such org, or you are no member of it');
  if (org_id !== null && project_id !== null && projectRoleOf(identity, org_id, project_id) === undefined)
    throw Errors.notFound('there is no such project, or you are no member of it');
}

/** What is not asked for is taken from the token in hand. */
function inherit(wish: Limits, own: Limits): Limits {
  return {
    org_id: wish.org_id ?? own.org_id,
    project_id: wish.project_id ?? own.project_id,
    role: wish.role ?? own.role,
  };
}

/** Agents serve a whole org, so only its owner adds them. */
function agentLimits(identity: Identity, wish: TokenWish): Limits {
  const { org_id, project_id, role } = wish.limits;
  const refused =
    project_id !== null ? 'project' : role !== null ? 'role' : wish.for_user !== undefined ? 'user' : undefined;
  if (refused)
    throw Errors.invalidRequest(`an agent's token takes no ${refused}: agents serve a whole org`, {
      errors: [{ pointer: `/${refused}`, message: "is not for an agent's token" }],
    });
  requireOwner(identity, org_id, "to make an agent's token");
  return { org_id, project_id: null, role: null };
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
    throw Errors.forbidden('a token cannot outlive the one that makes it; ask for a shorter expires_in');
  return wished;
}
