import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Whoami } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { readSession, type Session, whoami } from '../api/session.ts';

export const SESSION_KEY = ['session'] as const;

const unknown = ({ state }: { state: { data?: unknown } }): boolean => state.data === undefined;

/** One that is known is replaced by `refreshSession` alone, which looks whose it is. */
export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
  networkMode: 'always',
  refetchOnWindowFocus: unknown,
  refetchOnReconnect: unknown,
  refetchOnMount: unknown,
});
export const whoamiQuery = queryOptions({
  queryKey: ['whoami'] as const,
  queryFn: ({ signal }) => whoami(signal),
  staleTime: 60_000,
});

/** What stands in the way of a page: what could not be read again keeps what was known before. */
export const faultOf = ({ data, error }: { data: unknown; error: Error | null }): Error | null => (data ? null : error);

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

const OTHERS = { predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== SESSION_KEY[0] };

/**
 * The session that the browser has now; a page of one that is over leads to the sign-in. Where it is another person's,
 * everything that was read is read again; where the same person has signed in again, what was refused meanwhile. `sentIn` is
 * the CSRF token of the session of the request that was refused; without it, that of the session that the page knows.
 */
export async function refreshSession(client: QueryClient, sentIn?: string): Promise<void> {
  const before = client.getQueryData<Session | null>(SESSION_KEY);
  // Pages show the one that they have until the server can be asked.
  const now = await client.fetchQuery({ ...sessionQuery, staleTime: Number.NEGATIVE_INFINITY }).catch(() => before);
  if (!now) return;
  if (now.user !== before?.user) await client.resetQueries(OTHERS);
  else if (now.csrf !== (sentIn ?? before.csrf))
    await client.refetchQueries({
      type: 'active',
      predicate: (query) => OTHERS.predicate(query) && query.state.status === 'error',
    });
}

/** Takes another session, or none. Everything that was read belongs to the person before. */
export function useSession(): (session: Session | null) => Promise<void> {
  const client = useQueryClient();
  return async (session) => {
    // An answer that is still under way tells of the session before.
    await client.cancelQueries({ queryKey: SESSION_KEY });
    // What shows pages looks at this query, so it stays.
    client.setQueryData(SESSION_KEY, session);
    client.removeQueries(OTHERS);
  };
}
