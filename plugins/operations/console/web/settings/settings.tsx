import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project as ProjectView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useOwns } from '../app/session.ts';
import { keepTheme, readTheme, THEMES, type Theme } from '../app/theme.ts';
import { Loading, Name, Problem, Time } from '../kit/basics.tsx';
import { Fact } from '../kit/facts.tsx';
import { Page } from '../kit/page.tsx';
import { roleName } from '../members/roles.ts';
import { AgentAccess, ProjectAsCode } from './from-outside.tsx';
import { Projects, projectsPath } from './projects.tsx';
import { Section } from './section.tsx';
import { SERVER, Server, settingsPath } from './server.tsx';

/** Of the project, its org, the server and this browser, as far as the person may see them. */
export function Settings() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/settings' });
  const { org } = scope;
  const owns = useOwns(org);
  return (
    <Page
      title="Settings"
      same={[
        { command: 'svc project ls', call: `GET ${projectsPath(org)}` },
        { command: 'svc server show', call: `GET ${SERVER}` },
        ...(owns ? [{ command: 'svc server settings', call: `GET ${settingsPath(org)}` }] : []),
      ]}
    >
      <Project scope={scope} />
      <ProjectAsCode scope={scope} />
      <AgentAccess scope={scope} />
      <Projects org={org} owns={owns} />
      <Appearance />
      <Server org={org} owns={owns} />
    </Page>
  );
}

function Project({ scope }: { scope: Scope }) {
  const path = scoped(scope);
  const project = useQuery({
    queryKey: ['project', path],
    queryFn: ({ signal }) => json<ProjectView>(path, { signal }),
  });
  return (
    <Section title="Project" about="The current project and your role in it.">
      {project.error && <Problem error={project.error} again={() => void project.refetch()} />}
      {project.isPending && <Loading />}
      {project.data && (
        <dl>
          <Fact name="Name">
            <Name>{project.data.project}</Name>
          </Fact>
          <Fact name="Org">
            <Name>{project.data.org}</Name>
          </Fact>
          <Fact name="Your role">{roleName(project.data.role)}</Fact>
          <Fact name="Created">
            <Time at={project.data.created_at} />
          </Fact>
        </dl>
      )}
    </Section>
  );
}

/** Kept in this browser, and nowhere else. */
function Appearance() {
  const [theme, setTheme] = useState(readTheme);
  const choose = (next: Theme) => {
    setTheme(next);
    keepTheme(next);
  };
  return (
    <Section title="Appearance" about="Saved in this browser only.">
      <fieldset className="theme-choice">
        <legend className="hidden">Theme</legend>
        {THEMES.map(([value, name]) => (
          <label key={value} className="check">
            <input type="radio" name="theme" checked={theme === value} onChange={() => choose(value)} /> {name}
          </label>
        ))}
      </fieldset>
    </Section>
  );
}
