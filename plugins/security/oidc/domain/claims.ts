import type { MappedRole, RoleMap } from '../generated/role-map.ts';

/** What an issuer says about a person. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Drops an email address that the issuer has not verified: somebody who can enter any address there must not get the roles or the
 * name of its owner. Many issuers do not send `email_verified` and verify all addresses.
 */
export function dropUnverifiedEmail(claims: Claims): Claims {
  const { email: _email, email_verified = true, ...rest } = claims;
  const verified = email_verified === true || email_verified === 'true';
  return verified ? claims : rest;
}

/** Returns the roles that the claims map to. */
export function mappedRoles(claims: Claims, roles: RoleMap | undefined): MappedRole[] {
  if (!roles) return [];
  const values = [claimAt(claims, roles.claim)].flat().filter((value) => typeof value === 'string');
  return values.flatMap((value) => (Object.hasOwn(roles.map, value) ? [roles.map[value]!].flat() : []));
}

/** Reads a claim. A name that begins with a slash is a JSON pointer, unless there is a claim with exactly that name. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name) || !name.startsWith('/'))
    return Object.hasOwn(claims, name) ? claims[name] : undefined;
  let value: unknown = claims;
  for (const segment of name.split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Returns the name that the person should have here. */
export function preferredName(claims: Claims): string {
  const { preferred_username, email, name, sub } = claims;
  const [local] = typeof email === 'string' ? email.split('@') : [];
  const claim = [preferred_username, local, name, sub].find((text) => typeof text === 'string' && text !== '');
  return String(claim ?? 'user').split('@')[0]!;
}
