import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { MailX, UserCog, UserMinus, UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import type { MemberInvitation, OrgMember, ProjectMember } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { useMay, useOwns, whoamiQuery } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Avatar } from '../kit/avatar.tsx';
import { Empty, Problem, Status, Tag, Time } from '../kit/basics.tsx';
import { Asked } from '../kit/confirm.tsx';
import { FormDialog, ChoiceField, DialogForm, TextField } from '../kit/dialog-form.tsx';
import { List } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Rows } from '../kit/rows.tsx';
import { visible } from '../kit/text.ts';
import { toast } from '../kit/toasts.tsx';
import { OF_ORG, OF_PROJECT, roleName, type Roles } from './roles.ts';
import { MemberTabs } from './tabs.tsx';

type Member = OrgMember | ProjectMember;

/** The members of a project or of an org, and who is asked to become one. */
interface Roll {
  what: 'project' | 'org';
  name: string;
  path: string;
  /** Where its invitations are. */
  invited: string;
  /** Of the commands that do the same. */
  flags: string;
  roles: Roles;
  /** May roles be set? */
  writes: boolean;
}

function useRolls(scope: Scope): Roll[] {
  const may = useMay(scope);
  const owns = useOwns(scope.org);
  const org = `/api/v1/orgs/${encodeURIComponent(scope.org)}`;
  return [
    {
      ...{ what: 'project', name: scope.project, flags: ` --project ${scope.project}`, roles: OF_PROJECT },
      ...{ path: scoped(scope, '/members'), invited: scoped(scope, '/invitations'), writes: may('admin') },
    },
    {
      ...{ what: 'org', name: scope.org, flags: '', roles: OF_ORG },
      ...{ path: `${org}/members`, invited: `${org}/invitations`, writes: owns },
    },
  ];
}

/** Members of the project and of its org, with their roles. */
export function Members() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/members' });
  const rolls = useRolls(scope);
  const open = rolls.filter(({ writes }) => writes);
  return (
    <Page
      title="Members"
      bleed
      actions={open.length > 0 && <AddMember rolls={open} />}
      same={rolls.flatMap(({ flags, path, invited, writes }) => [
        { command: `svc member ls${flags}`, call: `GET ${path}` },
        ...(writes ? [{ command: `svc invitation sent${flags}`, call: `GET ${invited}` }] : []),
      ])}
    >
      <MemberTabs scope={scope} />
      {rolls.map((roll) => (
        <RollRows key={roll.what} roll={roll} />
      ))}
    </Page>
  );
}

const titleOf = ({ what, name }: Roll): string => `${what === 'project' ? 'Project' : 'Org'} ${visible(name)}`;

function AddMember({ rolls }: { rolls: readonly Roll[] }) {
  const [what, setWhat] = useState(rolls[0]!.what);
  const roll = rolls.find((one) => one.what === what) ?? rolls[0]!;
  const set = useSetRole(roll);
  return (
    <DialogForm icon={UserPlus} label="Add member" title="Add member" verb="Add member" main run={set}>
      {rolls.length > 1 && (
        <label>
          To
          <select name="to" value={what} onChange={({ target }) => setWhat(target.value as Roll['what'])}>
            {rolls.map((one) => (
              <option key={one.what} value={one.what}>
                {titleOf(one)}
              </option>
            ))}
          </select>
        </label>
      )}
      <TextField name="user" label="User" hint="A user in another org gets an invitation." />
      <ChoiceField key={roll.what} name="role" label="Role" choices={roll.roles} />
    </DialogForm>
  );
}

type Entry = (Member & { expires_at?: never }) | MemberInvitation;

const isInvited = (entry: Entry): entry is MemberInvitation => entry.expires_at !== undefined;

function RollRows({ roll }: { roll: Roll }) {
  const { what, path, invited, writes } = roll;
  const options = { again_ms: AGAIN_MS, whole: true };
  const list = usePaged<'members', Member>('members', path, {}, options);
  const asked = usePaged<'invitations', MemberInvitation>('invitations', invited, {}, { ...options, enabled: writes });
  const { data: who } = useQuery(whoamiQuery);
  const items: Entry[] | undefined = list.items && [...list.items, ...(asked.items ?? [])];
  const title = titleOf(roll);
  return (
    <section aria-label={title}>
      <h2 className="group-head">
        {title}
        {list.count !== undefined && <span className="n">{list.count}</span>}
      </h2>
      {asked.error && <Problem error={asked.error} again={() => void asked.refetch()} />}
      <List
        list={{ ...list, items }}
        nothing={
          <Empty icon={Users} title="No members yet">
            {what === 'project' ? 'Owners of the org can do everything here.' : 'Nobody has a role in this org.'}
          </Empty>
        }
      >
        {(entries) => (
          <Rows<Entry>
            label={title}
            head="User"
            items={entries}
            keyOf={(entry) => `${what} ${isInvited(entry) ? 'invited ' : ''}${entry.user}`}
            mark={({ user }) => <Avatar name={user} />}
            title={({ user }) => (
              <span className="strong clip" title={visible(user)}>
                {visible(user)}
              </span>
            )}
            beside={({ user }) => user === who?.user.name && <Tag>You</Tag>}
            columns={[
              { name: 'Role', look: 'c-mid', cell: ({ role }) => roleName(role) },
              { name: 'Status', cell: (entry) => <State entry={entry} /> },
              { name: 'Since', look: 'c-end', cell: ({ created_at }) => <Time at={created_at} /> },
            ]}
            second={(entry) => (
              <>
                {roleName(entry.role)} <State entry={entry} />
              </>
            )}
            {...(writes && { actions: (entry) => <Actions roll={roll} entry={entry} /> })}
          />
        )}
      </List>
    </section>
  );
}

function State({ entry }: { entry: Entry }) {
  if (!isInvited(entry)) return <span className="quiet">Active</span>;
  return (
    <span className="tags">
      <Status of="waiting">Invited</Status>
      <span className="quiet clip">
        by {visible(entry.invited_by)}, expires <Time at={entry.expires_at} />
      </span>
    </span>
  );
}

function useSetRole({ path, invited }: Roll) {
  const refetch = useRefetch();
  return async ({ user = '', role }: Record<string, string>) => {
    await json(`${path}/${encodeURIComponent(user.trim())}`, { method: 'PUT', body: { role } });
    // One's own role may be another now.
    await refetch(listKey(path), listKey(invited), whoamiQuery.queryKey);
  };
}

function Actions({ roll, entry }: { roll: Roll; entry: Entry }) {
  const { user, role } = entry;
  const { what, path, invited, roles } = roll;
  const refetch = useRefetch();
  const set = useSetRole(roll);
  const remove = async () => {
    await json(`${path}/${encodeURIComponent(user)}`, { method: 'DELETE' });
    await refetch(listKey(path), whoamiQuery.queryKey);
    toast(`${user} removed from the ${what}`);
  };
  const withdraw = async () => {
    await json(`${invited}/${encodeURIComponent(user)}`, { method: 'DELETE' });
    await refetch(listKey(invited));
    toast(`Invitation for ${user} withdrawn`);
  };
  const label = `Actions for ${user}`;
  if (isInvited(entry))
    return (
      <ActionMenu
        label={label}
        small
        actions={[
          {
            ...{ icon: MailX, label: 'Withdraw invitation', danger: true },
            opens: (close) => (
              <Asked
                title={`Withdraw the invitation for ${user}?`}
                verb="Withdraw invitation"
                danger
                run={withdraw}
                close={close}
              >
                They can no longer accept it.
              </Asked>
            ),
          },
        ]}
      />
    );
  return (
    <ActionMenu
      label={label}
      small
      actions={[
        {
          ...{ icon: UserCog, label: 'Change role' },
          opens: (close) => (
            <FormDialog
              title={`Role of ${user} in the ${what}`}
              verb="Change role"
              run={(fields) => set({ ...fields, user })}
              close={close}
            >
              <ChoiceField name="role" label="Role" value={role} choices={roles} />
            </FormDialog>
          ),
        },
        {
          ...{ icon: UserMinus, label: 'Remove member', danger: true },
          opens: (close) => (
            <Asked title={`Remove ${user} from the ${what}?`} verb="Remove member" danger run={remove} close={close}>
              {what === 'org'
                ? 'They lose their roles in all its projects, and their tokens for it are revoked.'
                : 'They lose their role in this project, and their tokens for it are revoked.'}
            </Asked>
          ),
        },
      ]}
    />
  );
}
