import { useParams } from '@tanstack/react-router';
import type { OrgMember, ProjectMember } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { scoped } from '../api/paths.ts';
import { useReadAgain } from '../api/read-again.ts';
import { useMay, useOwns } from '../app/session.ts';
import { Name, Time } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { ChoiceField, DialogForm, TextField } from '../kit/dialog-form.tsx';
import { List, Table } from '../kit/list.tsx';
import { Page, Panel, Same } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Invited } from './invited.tsx';
import { MemberTabs } from './tabs.tsx';

type Member = OrgMember | ProjectMember;
type Roles = readonly (readonly [string, string])[];

const OF_PROJECT: Roles = [
  ['viewer', 'viewer: sees runs'],
  ['member', 'member: runs workflows, reads secrets'],
  ['admin', 'admin: changes the project'],
];
const OF_ORG: Roles = [
  ['member', 'member: no more than the projects give'],
  ['owner', 'owner: everything'],
];

/** Members of the project and of its org, with their roles. */
export function Members() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/members' });
  const may = useMay(scope);
  const owns = useOwns(scope.org);
  const org = `/api/v1/orgs/${encodeURIComponent(scope.org)}`;
  return (
    <Page title="Members">
      <MemberTabs scope={scope} />
      <Roll
        title={`Of the project ${scope.project}`}
        what="project"
        path={scoped(scope, '/members')}
        invited={scoped(scope, '/invitations')}
        flags={` --project ${scope.project}`}
        roles={OF_PROJECT}
        writes={may('admin')}
      />
      <Roll
        title={`Of the org ${scope.org}`}
        what="org"
        path={`${org}/members`}
        invited={`${org}/invitations`}
        flags=""
        roles={OF_ORG}
        writes={owns}
      />
    </Page>
  );
}

interface RollProps {
  title: string;
  what: 'project' | 'org';
  path: string;
  /** Where its invitations are. */
  invited: string;
  /** Of the commands that do the same. */
  flags: string;
  roles: Roles;
  /** May roles be set? */
  writes: boolean;
}

function Roll({ title, what, path, invited, flags, roles, writes }: RollProps) {
  const list = usePaged<'members', Member>('members', path, {}, { again_ms: AGAIN_MS });
  const set = useSetRole(path, invited);
  return (
    <Panel
      title={title}
      aside={
        writes && (
          <DialogForm label="Add a member" title={`Add a member to the ${what}`} verb="Add member" run={set}>
            <TextField name="user" label="User" hint="A user of another org gets an invitation." />
            <ChoiceField name="role" label="Role" choices={roles} />
          </DialogForm>
        )
      }
    >
      <List
        list={list}
        empty={what === 'project' ? 'Nobody but the owners of the org has a role here.' : 'Nobody is in this org.'}
      >
        {(items) => (
          <Table columns={['User', 'Role', '-Since', ...(writes ? ['Actions'] : [])]}>
            {items.map((member) => (
              <tr key={member.user}>
                <td>
                  <strong>
                    <Name>{member.user}</Name>
                  </strong>
                </td>
                <td className="word">{member.role}</td>
                <td className="wide">
                  <Time at={member.created_at} />
                </td>
                {writes && (
                  <td>
                    <Actions what={what} path={path} invited={invited} roles={roles} member={member} />
                  </td>
                )}
              </tr>
            ))}
          </Table>
        )}
      </List>
      <Same by={{ command: `svc member ls${flags}`, call: `GET ${path}` }} />
      {writes && <Invited path={invited} command={`svc invitation sent${flags}`} />}
    </Panel>
  );
}

function useSetRole(path: string, invited: string) {
  const readAgain = useReadAgain();
  return async ({ user = '', role }: Record<string, string>) => {
    await json(`${path}/${encodeURIComponent(user.trim())}`, { method: 'PUT', body: { role } });
    await readAgain(listKey(path), listKey(invited));
    // One's own role may be another now.
    await readAgain(['whoami']);
  };
}

function Actions({
  what,
  path,
  invited,
  roles,
  member: { user, role },
}: Pick<RollProps, 'what' | 'path' | 'invited' | 'roles'> & { member: Member }) {
  const readAgain = useReadAgain();
  const set = useSetRole(path, invited);
  const remove = async () => {
    await json(`${path}/${encodeURIComponent(user)}`, { method: 'DELETE' });
    await readAgain(listKey(path), ['whoami']);
  };
  return (
    <div className="row">
      <DialogForm
        label="Change role"
        title={`The role of ${user} in the ${what}`}
        verb="Set it"
        run={(fields) => set({ ...fields, user })}
      >
        <ChoiceField name="role" label="Role" value={role} choices={roles} />
      </DialogForm>
      <Confirm label="Remove" title={`Remove ${user} from the ${what}?`} verb="Remove them" danger run={remove}>
        {what === 'org'
          ? 'They lose their roles in all its projects, and their tokens for it end.'
          : 'They lose their role in this project, and their tokens for it end.'}
      </Confirm>
    </div>
  );
}
