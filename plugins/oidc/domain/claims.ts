import type { MappedRole, RoleMap } from '../generated/role-map.ts';

/** What an issuer says of a person. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Without an address that the issuer says it has not verified: whoever may type any address there must not get the roles or the
 * name of its owner. Many issuers say nothing of it, and verify all.
 */
export function trusted(claims: Claims): Claims {
  const { email: _email, email_verified = true, ...rest } = claims;
  const verified = email_verified === true || email_verified === 'true';
  return verified ? claims : rest;
}

/** The roles that the claims give. */
export function mappedRoles(claims: Claims, roles: RoleMap | undefined): MappedRole[] {
  if (!roles) return [];
  const values = [claimAt(claims, roles.claim)].flat().filter((value) => typeof value === 'string');
  return values.flatMap((value) => (Object.hasOwn(roles.map, value) ? [roles.map[value]!].flat() : []));
}

/** Own members only. A name that begins with a slash is a pointer, unless there is a claim of exactly that name. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name) || !name.startsWith('/'))
    return Object.hasOwn(claims, name) ? claims[name] : undefined;
  let value: unknown = claims;
  for (const part of name.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** What the person may be called here. */
export function wantedName(claims: Claims): string {
  const { preferred_username, email, name, sub } = claims;
  const [local] = typeof email === 'string' ? email.split('@') : [];
  const found = [preferred_username, local, name, sub].find((text) => typeof text === 'string' && text !== '');
  return String(found ?? 'user').split('@')[0]!;
}
