import { useParams } from '@tanstack/react-router';
import { FlaskConical, Plus, Trash2, Vault } from 'lucide-react';
import { useState } from 'react';
import type { SecretStore, SecretStoreTest } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { useMay } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Mark } from '../kit/avatar.tsx';
import { Empty, Time } from '../kit/basics.tsx';
import { Asked } from '../kit/confirm.tsx';
import { DialogForm, FormDialog, HiddenField, TextField } from '../kit/dialog-form.tsx';
import { List } from '../kit/list.tsx';
import { LongField, NAME, NAME_WANTS } from '../kit/more-fields.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Rows } from '../kit/rows.tsx';
import { refuseTaken } from '../kit/taken.ts';
import { visible } from '../kit/text.ts';
import { toast } from '../kit/toasts.tsx';
import { textsOf } from '../kit/workflow.ts';
import { STORE_KINDS, type StoreKind, storeOf } from './store-kinds.ts';
import { ConnectionTabs } from './tabs.tsx';

const ABOUT =
  'Secrets and credentials can stay in a Vault, AWS Secrets Manager or Google Secret Manager. svc reads each value when a job needs it.';

/** The systems that keep the values of secrets instead of svc. */
export function SecretStores() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/connections/secret-stores' });
  const may = useMay(scope);
  const path = scoped(scope, '/secret-stores');
  const list = usePaged<'secret_stores', SecretStore>('secret_stores', path, {}, { again_ms: AGAIN_MS, whole: true });
  const make = may('admin') && <NewStore scope={scope} />;
  return (
    <Page
      title="Secret stores"
      bleed
      about={list.count}
      actions={make}
      same={{ command: 'svc secret-store ls', call: `GET ${path}` }}
    >
      <ConnectionTabs scope={scope} />
      <List
        list={list}
        nothing={
          <Empty icon={Vault} title="No secret stores yet" action={make}>
            {ABOUT}
          </Empty>
        }
      >
        {(items) => (
          <>
            <p className="lead">{ABOUT}</p>
            <Rows<SecretStore>
              label="Secret stores"
              head="Name"
              items={items}
              keyOf={({ name }) => name}
              mark={() => <Mark icon={Vault} />}
              title={({ name }) => (
                <span className="strong clip" title={name}>
                  {name}
                </span>
              )}
              columns={[
                { name: 'Kind', look: 'c-short', cell: ({ kind }) => STORE_KINDS[kind] },
                { name: 'Address', look: 'second', cell: ({ url }) => <span className="clip">{visible(url)}</span> },
                { name: 'Set', look: 'c-end', cell: ({ set_at }) => <Time at={set_at} /> },
              ]}
              second={({ kind, url }) => <span className="clip">{`${STORE_KINDS[kind]} · ${visible(url)}`}</span>}
              actions={(store) => may('admin') && <Actions scope={scope} store={store} />}
            />
          </>
        )}
      </List>
    </Page>
  );
}

/** The fields depend on the kind, which is chosen first. */
function NewStore({ scope }: { scope: Scope }) {
  const refetch = useRefetch();
  const [kind, setKind] = useState<StoreKind>('vault');
  const list = scoped(scope, '/secret-stores');
  const save = async (fields: Record<string, string>) => {
    const path = `${list}/${encodeURIComponent(fields.name ?? '')}`;
    await refuseTaken(path, 'secret store');
    await json(path, { method: 'PUT', body: storeOf(kind, fields) });
    await refetch(listKey(list));
    toast(`Secret store ${fields.name} created`);
  };
  return (
    <DialogForm
      icon={Plus}
      label="New secret store"
      title="New secret store"
      verb="Create secret store"
      main
      run={save}
    >
      <label>
        Kind
        <select value={kind} onChange={({ target }) => setKind(target.value as StoreKind)}>
          {Object.entries(STORE_KINDS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <TextField name="name" label="Name" pattern={NAME} wants={NAME_WANTS} />
      {kind === 'vault' && (
        <>
          <TextField name="url" label="Address" hint="https://vault.example.com" />
          <TextField name="mount" label="KV engine" optional hint="secret, if you leave it empty" />
          <HiddenField name="token" label="Token" />
          <p className="quiet">
            For an AppRole, another KV version or a namespace: <code>svc secret-store set</code>
          </p>
        </>
      )}
      {kind === 'aws' && (
        <>
          <TextField name="region" label="Region" hint="eu-central-1" />
          <TextField name="access_key_id" label="Access key ID" />
          <HiddenField name="secret_access_key" label="Secret access key" />
        </>
      )}
      {kind === 'gcp' && (
        <>
          <TextField
            name="project"
            label="Project"
            optional
            hint="That of the service account, if you leave it empty"
          />
          <LongField name="service_account" label="Key of the service account" rows={6} hint="JSON" />
        </>
      )}
    </DialogForm>
  );
}

function Actions({ scope, store: { name } }: { scope: Scope; store: SecretStore }) {
  const refetch = useRefetch();
  const list = scoped(scope, '/secret-stores');
  const path = `${list}/${encodeURIComponent(name)}`;
  const remove = async () => {
    await json(path, { method: 'DELETE' });
    await refetch(listKey(list));
    toast(`Secret store ${name} removed`);
  };
  const test = async (fields: Record<string, string>) => {
    const tested = await json<SecretStoreTest>(`${path}/test`, {
      method: 'POST',
      body: textsOf(fields, ['path', 'field']),
    });
    if (!tested.ok) throw new Error(tested.message ?? tested.code ?? 'The store did not return the value.');
    toast(`${name} returns this value`);
  };
  return (
    <ActionMenu
      label={`Actions for ${name}`}
      small
      actions={[
        {
          ...{ icon: FlaskConical, label: 'Test with a value' },
          opens: (close) => (
            <FormDialog title={`Test ${name}`} verb="Read the value" run={test} close={close}>
              <TextField name="path" label="Path" hint="app/db" />
              <TextField name="field" label="Field" optional hint="password" />
              <p className="quiet">svc reads the value as a job would, and does not show it.</p>
            </FormDialog>
          ),
        },
        {
          ...{ icon: Trash2, label: 'Remove secret store', danger: true },
          opens: (close) => (
            <Asked
              title={`Remove the secret store ${name}?`}
              verb="Remove secret store"
              danger
              run={remove}
              close={close}
            >
              Jobs that use a secret or a credential from it fail until it exists again.
            </Asked>
          ),
        },
      ]}
    />
  );
}
