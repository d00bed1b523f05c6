import type { RequestContext } from './request-context.ts';

/** Returns the key under which the answers of one caller are counted. */
export const callerKey = ({ principal, ip }: Pick<RequestContext, 'principal' | 'ip'>): string =>
  principal ? `${principal.kind} ${principal.id}` : `ip ${ip}`;

/** Returns the key under which callers are counted together: their org if there is one. Unauthenticated callers share a key. */
export const shareKey = ({ principal, org_id }: Pick<RequestContext, 'principal' | 'org_id'>): string => {
  const org = org_id || principal?.org_id;
  if (org) return `org ${org}`;
  return principal ? `${principal.kind} ${principal.id}` : 'unknown';
};
