import { Link } from '@tanstack/react-router';
import type { Project } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useReadAgain } from '../api/read-again.ts';
import { whoamiQuery } from '../app/session.ts';
import { Name, Time } from '../kit/basics.tsx';
import { DialogForm, TextField } from '../kit/dialog-form.tsx';
import { List, Table } from '../kit/list.tsx';
import { Panel, Same } from '../kit/page.tsx';
import { listKey, usePaged } from '../kit/paged.ts';

/** The projects of the org. An owner makes further ones; they are not renamed or removed. */
export function Projects({ org, owns }: { org: string; owns: boolean }) {
  const readAgain = useReadAgain();
  const path = `/api/v1/orgs/${encodeURIComponent(org)}/projects`;
  const list = usePaged<'projects', Project>('projects', path);
  const make = async ({ name = '' }: Record<string, string>) => {
    await json(`${path}/${encodeURIComponent(name)}`, { method: 'PUT', body: {} });
    await readAgain(listKey(path), whoamiQuery.queryKey);
  };
  return (
    <Panel
      title={`Projects of the org ${org}`}
      aside={
        owns && (
          <DialogForm label="New project" title={`A project of ${org}`} verb="Make it" run={make}>
            <TextField name="name" label="Name" hint="It cannot be renamed later." />
            <Same by={{ command: 'svc project create <name>', call: `PUT ${path}/<name>` }} />
          </DialogForm>
        )
      }
    >
      <List list={list} empty="You reach no project of this org.">
        {(items) => (
          <Table columns={['Project', 'Your role', 'Made']}>
            {items.map(({ project, role, created_at }) => (
              <tr key={project}>
                <td>
                  <Link to="/orgs/$org/projects/$project" params={{ org, project }}>
                    <Name>{project}</Name>
                  </Link>
                </td>
                <td className="word">{role}</td>
                <td className="tight">
                  <Time at={created_at} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </List>
      <Same by={{ command: 'svc project ls', call: `GET ${path}` }} />
    </Panel>
  );
}
