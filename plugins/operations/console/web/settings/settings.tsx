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
import { Page, Panel, Same } from '../kit/page.tsx';
import { Projects } from './projects.tsx';
import { Server } from './server.tsx';

/** Of the project, its org, the server and this browser, as far as the person may see them. */
export function Settings() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/settings' });
  return (
    <Page title="Settings">
      <Project scope={scope} />
      <Projects org={scope.org} owns={useOwns(scope.org)} />
      <Server org={scope.org} owns={useOwns(scope.org)} />
      <ThisBrowser />
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
    <Panel title="Project">
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
          <Fact name="Your role">{project.data.role}</Fact>
          <Fact name="Made">
            <Time at={project.data.created_at} />
          </Fact>
        </dl>
      )}
      <Same by={{ command: 'svc project ls', call: `GET ${path}` }} />
    </Panel>
  );
}

/** Kept in this browser, and nowhere else. */
function ThisBrowser() {
  const [theme, setTheme] = useState(readTheme);
  const choose = (next: Theme) => {
    setTheme(next);
    keepTheme(next);
  };
  return (
    <Panel title="This browser">
      <fieldset className="chips">
        <legend className="hint quiet">Colours</legend>
        {THEMES.map(([value, name]) => (
          <label key={value} className="check">
            <input type="radio" name="theme" checked={theme === value} onChange={() => choose(value)} /> {name}
          </label>
        ))}
      </fieldset>
    </Panel>
  );
}
