import { useParams } from '@tanstack/react-router';
import { Activity, KeyRound, RotateCw, Trash2 } from 'lucide-react';
import type { Credential } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { useMay } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Mark } from '../kit/avatar.tsx';
import { Empty } from '../kit/basics.tsx';
import { Asked } from '../kit/confirm.tsx';
import { List } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Rows } from '../kit/rows.tsx';
import { useTarget } from '../kit/target.ts';
import { visible } from '../kit/text.ts';
import { toast } from '../kit/toasts.tsx';
import { ReplaceCredentialDialog, CredentialForm } from './credential-form.tsx';
import { KINDS } from './kinds.ts';
import { ConnectionTabs } from './tabs.tsx';
import { TestCredentialDialog } from './test-credential.tsx';
import { UsedBy } from './used-by.tsx';

/** Names and kinds; nothing shows a value. */
export function Credentials() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/connections/credentials' });
  const may = useMay(scope);
  const path = scoped(scope, '/credentials');
  const list = usePaged<'credentials', Credential>('credentials', path, {}, { again_ms: AGAIN_MS });
  useTarget(list.items !== undefined);
  const make = may('admin') && <CredentialForm scope={scope} />;
  return (
    <Page
      title="Credentials"
      bleed
      about={list.count}
      actions={make}
      same={{ command: 'svc credential list', call: `GET ${path}` }}
    >
      <ConnectionTabs scope={scope} />
      <List
        list={list}
        nothing={
          <Empty icon={KeyRound} title="No credentials yet" action={make}>
            Workflows refer to a token, key or login by name. Values are sealed and never shown.
          </Empty>
        }
      >
        {(items) => (
          <Rows<Credential>
            label="Credentials"
            head="Name"
            items={items}
            keyOf={({ name }) => name}
            mark={() => <Mark icon={KeyRound} />}
            title={({ name }) => (
              <span className="strong clip" title={visible(name)}>
                {visible(name)}
              </span>
            )}
            columns={[
              { name: 'Kind', look: 'c-mid', cell: (one) => kindOf(one) },
              { name: 'Allowed hosts', look: 'c-mid', cell: ({ hosts }) => hosts?.join(', ') ?? 'Any' },
              { name: 'Used by', cell: ({ name }) => <UsedBy scope={scope} of="credentials" name={name} /> },
            ]}
            second={({ name, hosts, ...one }) => (
              <>
                {kindOf(one)} {hosts && `· ${hosts.join(', ')}`} <UsedBy scope={scope} of="credentials" name={name} />
              </>
            )}
            {...(may('member') && { actions: (one) => <Actions scope={scope} credential={one} /> })}
          />
        )}
      </List>
    </Page>
  );
}

/** The kind, and the secret store that has the value. */
const kindOf = ({ kind, from }: Pick<Credential, 'kind' | 'from'>): string =>
  from ? `${KINDS[kind].title}, in ${from.store}` : KINDS[kind].title;

function Actions({ scope, credential }: { scope: Scope; credential: Credential }) {
  const refetch = useRefetch();
  const is_admin = useMay(scope)('admin');
  const { name } = credential;
  const list = scoped(scope, '/credentials');
  const remove = async () => {
    await json(`${list}/${encodeURIComponent(name)}`, { method: 'DELETE' });
    await refetch(listKey(list));
    toast(`Credential ${name} removed`);
  };
  return (
    <ActionMenu
      label={`Actions for ${name}`}
      small
      actions={[
        {
          ...{ icon: Activity, label: 'Test credential' },
          opens: (close) => <TestCredentialDialog scope={scope} known={credential} close={close} />,
        },
        is_admin && {
          ...{ icon: RotateCw, label: 'Replace value' },
          opens: (close) => <ReplaceCredentialDialog scope={scope} known={credential} close={close} />,
        },
        is_admin && {
          ...{ icon: Trash2, label: 'Remove credential', danger: true },
          opens: (close) => (
            <Asked title={`Remove the credential ${name}?`} verb="Remove credential" danger run={remove} close={close}>
              Requests that use it will fail. “Used by” shows what this affects.
            </Asked>
          ),
        },
      ]}
    />
  );
}
