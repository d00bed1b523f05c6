import { Link } from '@tanstack/react-router';
import { FolderOpen, Plus } from 'lucide-react';
import type { Project } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useRefetch } from '../api/read-again.ts';
import { whoamiQuery } from '../app/session.ts';
import { Mark } from '../kit/avatar.tsx';
import { Empty, Time } from '../kit/basics.tsx';
import { DialogForm, TextField } from '../kit/dialog-form.tsx';
import { List } from '../kit/list.tsx';
import { Same } from '../kit/page.tsx';
import { listKey, usePaged } from '../kit/paged.ts';
import { Rows } from '../kit/rows.tsx';
import { visible } from '../kit/text.ts';
import { roleName } from '../members/roles.ts';
import { Section } from './section.tsx';

export const projectsPath = (org: string): string => `/api/v1/orgs/${encodeURIComponent(org)}/projects`;

/** The projects of the org. An owner makes further ones; they are not renamed or removed. */
export function Projects({ org, owns }: { org: string; owns: boolean }) {
  const path = projectsPath(org);
  const list = usePaged<'projects', Project>('projects', path, {}, { whole: true });
  return (
    <Section
      title={`Projects of ${visible(org)}`}
      about="Runs, triggers, connections and members belong to one project."
      action={owns && <NewProject org={org} path={path} />}
    >
      <List list={list} nothing={<Empty icon={FolderOpen} title="You have no role in a project of this org" />}>
        {(items) => (
          <Rows<Project>
            label="Projects"
            head="Project"
            items={items}
            keyOf={({ project }) => project}
            mark={() => <Mark icon={FolderOpen} />}
            title={({ project }) => (
              <Link className="clip" to="/orgs/$org/projects/$project" params={{ org, project }}>
                {visible(project)}
              </Link>
            )}
            columns={[
              { name: 'Your role', cell: ({ role }) => roleName(role) },
              { name: 'Created', look: 'c-end', cell: ({ created_at }) => <Time at={created_at} /> },
            ]}
            second={({ role }) => roleName(role)}
            aside={({ created_at }) => <Time at={created_at} />}
          />
        )}
      </List>
    </Section>
  );
}

function NewProject({ org, path }: { org: string; path: string }) {
  const refetch = useRefetch();
  const make = async ({ name = '' }: Record<string, string>) => {
    await json(`${path}/${encodeURIComponent(name)}`, { method: 'PUT', body: {} });
    await refetch(listKey(path), whoamiQuery.queryKey);
  };
  return (
    <DialogForm icon={Plus} label="New project" title={`New project in ${org}`} verb="Create project" run={make}>
      <TextField name="name" label="Name" hint="It cannot be renamed later." />
      <Same by={{ command: 'svc project create <name>', call: `PUT ${path}/<name>` }} />
    </DialogForm>
  );
}
