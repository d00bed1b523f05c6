import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useParams, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Loading, Problem } from '../kit/basics.tsx';
import { keepLastProject } from './home.tsx';
import { faultOf, sessionQuery, whoamiQuery } from './session.ts';
import { Shell } from './shell.tsx';

/** The frame of all pages of a project, for whoever is signed in. */
export function ProjectLayout() {
  const { org, project } = useParams({ from: '/orgs/$org/projects/$project' });
  const session = useQuery(sessionQuery);
  const who = useQuery({ ...whoamiQuery, enabled: Boolean(session.data) });
  useEffect(() => keepLastProject(org, project), [org, project]);
  if (session.data === null) return <SignInFirst />;
  const error = faultOf(session) ?? faultOf(who);
  if (error)
    return (
      <main className="alone">
        <Problem error={error} again={() => void (faultOf(session) ? session : who).refetch()} />
      </main>
    );
  if (!session.data || !who.data) return <Loading />;
  return (
    <Shell scope={{ org, project }} who={who.data}>
      <Outlet />
    </Shell>
  );
}

/** Comes back to this page then. */
function SignInFirst() {
  const router = useRouter();
  // Where one was when it was first drawn: it is drawn again with the address to which it leads.
  const [back] = useState(() => router.state.location.href);
  return <Navigate to="/sign-in" search={{ back }} replace />;
}
