import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Whoami } from '../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { readSession, whoami } from '../api/session.ts';

export const SESSION_KEY = ['session'] as const;

export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
});
export const whoamiQuery = queryOptions({
  queryKey: ['whoami'] as const,
  queryFn: ({ signal }) => whoami(signal),
  staleTime: 60_000,
});

export type Role = 'viewer' | 'member' | 'admin';

const RANK: Record<Role, number> = { viewer: 0, member: 1, admin: 2 };

/** The projects that one can see, with one's role. */
export const projectsOf = (who: Whoami): (Scope & { role: Role })[] =>
  who.orgs.flatMap(({ org, projects }) => projects.map(({ project, role }) => ({ org, project, role })));

/** May the person do what this role may? What one may not do is not offered; the server refuses it anyway. */
export function useMay({ org, project }: Scope): (role: Role) => boolean {
  const { data } = useQuery(whoamiQuery);
  const own = data && projectsOf(data).find((one) => one.org === org && one.project === project)?.role;
  return (role) => own !== undefined && RANK[own] >= RANK[role];
}

/** Does the person own the org? */
export function useOwns(org: string): boolean {
  const { data } = useQuery(whoamiQuery);
  return data?.orgs.find((one) => one.org === org)?.role === 'owner';
}

/** Everything that was read belongs to the person who is leaving. */
export function useForget(): () => void {
  const client = useQueryClient();
  return () => {
    // The session itself stays in the cache: the frame watches it, and leaves when it is gone.
    client.setQueryData(SESSION_KEY, null);
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  };
}
