import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { Loading, Problem } from '../kit/basics.tsx';
import { OwnInvitations } from '../members/own-invitations.tsx';
import { faultOf, projectsOf, sessionQuery, whoamiQuery } from './session.ts';

/** Leads to the project that was looked at last, or the first one. */
export function Home() {
  const session = useQuery(sessionQuery);
  const who = useQuery({ ...whoamiQuery, enabled: Boolean(session.data) });
  if (session.data === null) return <Navigate to="/sign-in" search={{}} replace />;
  const error = faultOf(session) ?? faultOf(who);
  if (error) return <Problem error={error} again={() => void (faultOf(session) ? session : who).refetch()} />;
  if (!who.data) return <Loading />;
  const all = projectsOf(who.data);
  const last = lastProject();
  const chosen = all.find(({ org, project }) => `${org}/${project}` === last) ?? all[0];
  if (!chosen) return <NoProject name={who.data.user.name} />;
  const { org, project } = chosen;
  return <Navigate to="/orgs/$org/projects/$project" params={{ org, project }} replace />;
}

const LAST = 'svc-project';
const lastProject = (): string | null => localStorage.getItem(LAST);
export const keepLastProject = (org: string, project: string): void => localStorage.setItem(LAST, `${org}/${project}`);

const NoProject = ({ name }: { name: string }) => (
  <main className="alone">
    <section className="panel">
      <h1>No project yet</h1>
      <p>
        {name} has no access to a project. An org owner can create one with <code>svc project create &lt;name&gt;</code>
        , or give you a role in one with <code>svc member set</code>.
      </p>
      <h2>Your invitations</h2>
      <OwnInvitations />
    </section>
  </main>
);
