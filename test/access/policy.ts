import type { Caller } from './callers.ts';

/** The rule of a route as one text: `public`, `user`, `agent`, `org owner`, `project member`. */
export type Rule = string;

const NOT_AUTHENTICATED: readonly Caller[] = ['nobody', 'unknown', 'expired', 'revoked'];
const AGENTS: readonly Caller[] = ['agent', 'rival_agent'];

/** What each caller is in the org and in the project of the matrix: written down here, not asked of the service. */
const IN_ORG: Partial<Record<Caller, string>> = {
  outsider: 'member',
  viewer: 'member',
  member: 'member',
  admin: 'member',
  owner: 'owner',
  capped: 'member',
  elsewhere: 'member',
};
const IN_PROJECT: Partial<Record<Caller, string>> = {
  viewer: 'viewer',
  member: 'member',
  admin: 'admin',
  owner: 'admin',
  capped: 'viewer',
};

const RANKS: Readonly<Record<string, readonly string[]>> = {
  org: ['member', 'owner'],
  project: ['viewer', 'member', 'admin'],
};

/** The status that a rule gives a caller in the org and project of the matrix; undefined: it lets them in. */
export function refusal(rule: Rule, caller: Caller): number | undefined {
  const [kind = '', role = ''] = rule.split(' ');
  if (kind === 'public') return undefined;
  if (NOT_AUTHENTICATED.includes(caller)) return 401;
  if (AGENTS.includes(caller)) return kind === 'agent' ? undefined : 403;
  if (kind === 'agent') return 403;
  if (kind === 'user') return undefined;
  const held = (kind === 'org' ? IN_ORG : IN_PROJECT)[caller];
  if (held === undefined) return 404;
  const ranks = RANKS[kind]!;
  return ranks.indexOf(held) < ranks.indexOf(role) ? 403 : undefined;
}
