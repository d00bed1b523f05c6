import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Whoami } from '../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { readSession, type Session, whoami } from '../api/session.ts';

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

/** The session that the browser has now. Where it is another person's, everything that was read is read again. */
export async function readAgain(client: QueryClient): Promise<void> {
  const before = client.getQueryData<Session | null>(SESSION_KEY);
  const now = await client.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => undefined);
  if (now?.user !== before?.user)
    await client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
}

/** Takes another session, or none. Everything that was read belongs to the person before. */
export function useSession(): (session: Session | null) => void {
  const client = useQueryClient();
  return (session) => {
    // What shows pages looks at this query, so it stays.
    client.setQueryData(SESSION_KEY, session);
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  };
}
