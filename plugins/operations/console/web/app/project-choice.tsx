import { useNavigate } from '@tanstack/react-router';
import type { Whoami } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { visible } from '../kit/text.ts';
import { projectsOf } from './session.ts';

export function ProjectChoice({ scope, who }: { scope: Scope; who: Whoami }) {
  const navigate = useNavigate();
  const all = projectsOf(who);
  const chosen = `${scope.org}/${scope.project}`;
  const known = all.some(({ org, project }) => `${org}/${project}` === chosen);
  const go = (name: string) => {
    const [org = '', project = ''] = name.split('/');
    void navigate({ to: '/orgs/$org/projects/$project', params: { org, project } });
  };
  return (
    <select aria-label="Project" value={chosen} onChange={({ target }) => go(target.value)}>
      {!known && <option value={chosen}>{visible(chosen)}</option>}
      {all.map(({ org, project }) => (
        <option key={`${org}/${project}`} value={`${org}/${project}`}>
          {org}/{project}
        </option>
      ))}
    </select>
  );
}
