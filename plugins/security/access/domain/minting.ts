import { Errors } from '../../../../kernel/contracts/index.ts';
import { type Identity, orgRoleOf, projectRoleOf } from './identity.ts';
import { isWithin, type Limits } from './roles.ts';
import type { TokenKind } from './token.ts';

/** A request for a token, with names resolved to ids. */
export interface TokenRequest {
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
 * Decides what a new token may do: never more, and never for longer, than the token in use. Throws `forbidden`,
 * `invalid_request`, and `not_found` for things that the caller may not know about.
 */
export function planToken(identity: Identity, request: TokenRequest): TokenPlan {
  assertVisible(identity, request.limits);
  const limits = inheritLimits(request.limits, identity.token.limits);
  const expires_at = limitExpiry(identity, request.expires_at);
  if (request.kind === 'agent') return { user_id: '', limits: agentLimits(identity, request), expires_at };
  if (!isWithin(limits, identity.token.limits))
    throw Errors.forbidden(
      'a new token cannot have more rights than the token that creates it; use a token without limits',
    );
  if (request.for_user === undefined) return { user_id: identity.principal.id, limits, expires_at };
  requireOwner(identity, limits.org_id, 'to create a token for another member');
  return { user_id: request.for_user, limits, expires_at };
}

function assertVisible(identity: Identity, { org_id, project_id }: Limits): void {
  if (org_id !== null && orgRoleOf(identity, org_id) === undefined)
    throw Errors.notFound('the org does not exist, or you are not a member of it');
  if (org_id !== null && project_id !== null && projectRoleOf(identity, org_id, project_id) === undefined)
    throw Errors.notFound('the project does not exist, or you are not a member of it');
}

/** Copies the limits that are not requested from the token in use. */
function inheritLimits(requested: Limits, inherited: Limits): Limits {
  return {
    org_id: requested.org_id ?? inherited.org_id,
    project_id: requested.project_id ?? inherited.project_id,
    role: requested.role ?? inherited.role,
  };
}

/** An agent gets the secret values of every job that it runs, so only an owner of the org may add one. */
function agentLimits(identity: Identity, request: TokenRequest): Limits {
  const { org_id, project_id, role } = request.limits;
  const forbidden_member = role !== null ? 'role' : request.for_user !== undefined ? 'user' : undefined;
  if (forbidden_member)
    throw Errors.invalidRequest(
      `an agent's token cannot have ${forbidden_member}: it serves an org, or one project of it`,
      {
        errors: [{ pointer: `/${forbidden_member}`, message: "cannot be set for an agent's token" }],
      },
    );
  requireOwner(identity, org_id, "to create an agent's token");
  return { org_id, project_id, role: null };
}

function requireOwner(identity: Identity, org_id: string | null, why: string): void {
  if (org_id === null)
    throw Errors.invalidRequest(`name the org ${why}`, { errors: [{ pointer: '/org', message: 'is missing' }] });
  if (orgRoleOf(identity, org_id) === 'owner') return;
  const { role, project_id } = identity.token.limits;
  const is_unrestricted = role === null && project_id === null;
  const token = is_unrestricted ? '' : ', with a token that is limited neither by role nor to a project';
  throw Errors.forbidden(`this requires the owner role in the org${token}, ${why}`);
}

function limitExpiry({ token }: Identity, requested: number | null): number | null {
  if (token.expires_at === null) return requested;
  if (requested === null) return token.expires_at;
  if (requested > token.expires_at)
    throw Errors.forbidden(
      'a new token cannot be valid longer than the token that creates it; use a shorter expires_in',
    );
  return requested;
}
