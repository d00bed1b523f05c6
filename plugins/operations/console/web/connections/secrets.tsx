import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Eye, Lock, Plus, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Secret, SecretEntry, SecretStore } from '../../../../../cli/generated/api.ts';
import { readAllPages } from '../api/all-pages.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { useMay } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Mark } from '../kit/avatar.tsx';
import { Copy, Empty, Time } from '../kit/basics.tsx';
import { Block } from '../kit/block.tsx';
import { Asked } from '../kit/confirm.tsx';
import { FormDialog, DialogForm, HiddenField, TextField } from '../kit/dialog-form.tsx';
import { List } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Rows } from '../kit/rows.tsx';
import { useTarget } from '../kit/target.ts';
import { toast } from '../kit/toasts.tsx';
import { textsOf } from '../kit/workflow.ts';
import { ConnectionTabs } from './tabs.tsx';

const NAME = '[A-Za-z_][A-Za-z0-9_]{0,127}';

interface Shown {
  name: string;
  value: string;
}

/** Every trusted job of the project gets each of them as a variable. */
export function Secrets() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/connections/secrets' });
  const may = useMay(scope);
  const path = scoped(scope, '/secrets');
  const list = usePaged<'secrets', SecretEntry>('secrets', path, {}, { again_ms: AGAIN_MS, whole: true });
  // The value lives here until its dialog is closed, and nowhere else.
  const [shown, setShown] = useState<Shown>();
  useTarget(list.items !== undefined);
  const make = may('admin') && <NewSecret scope={scope} />;
  return (
    <Page
      title="Secrets"
      bleed
      about={list.count}
      actions={make}
      same={{ command: 'svc secret list', call: `GET ${path}` }}
    >
      <ConnectionTabs scope={scope} />
      {shown && <Value shown={shown} close={() => setShown(undefined)} />}
      <List
        list={list}
        nothing={
          <Empty icon={Lock} title="No secrets yet" action={make}>
            Every trusted job in this project gets each secret as an environment variable with the same name.
          </Empty>
        }
      >
        {(items) => (
          <>
            <p className="lead">
              Every trusted job in this project gets each secret as an environment variable with the same name.
            </p>
            <Rows<SecretEntry>
              label="Secrets"
              head="Name"
              items={items}
              keyOf={({ name }) => name}
              mark={() => <Mark icon={Lock} />}
              title={({ name }) => (
                <span className="mono clip" title={name}>
                  {name}
                </span>
              )}
              columns={[
                {
                  name: 'Value',
                  look: 'second',
                  cell: ({ from }) => (from ? placeOf(from) : <span aria-hidden>••••••••</span>),
                },
                { name: 'Set', look: 'c-end', cell: ({ set_at }) => <Time at={set_at} /> },
              ]}
              second={({ set_at }) => (
                <>
                  Set <Time at={set_at} />
                </>
              )}
              actions={({ name, from }) => <Actions scope={scope} name={name} from={from} onReveal={setShown} />}
            />
          </>
        )}
      </List>
    </Page>
  );
}

/** The location of a value in a secret store. */
const placeOf = ({ store, path, field }: NonNullable<SecretEntry['from']>): string =>
  `${store}: ${path}${field === undefined ? '' : `#${field}`}`;

function useSave(scope: Scope) {
  const refetch = useRefetch();
  const list = scoped(scope, '/secrets');
  return async ({ name = '', value, ...place }: Record<string, string>) => {
    const body = value === undefined ? { from: textsOf(place, ['store', 'path', 'field']) } : { value };
    await json(`${list}/${encodeURIComponent(name)}`, { method: 'PUT', body });
    await refetch(listKey(list));
  };
}

function NewSecret({ scope }: { scope: Scope }) {
  const save = useSave(scope);
  return (
    <DialogForm icon={Plus} label="New secret" title="New secret" verb="Store secret" main run={save}>
      <TextField name="name" label="Name" pattern={NAME} wants="Letters, digits and _, as in a variable name" />
      <ValueField scope={scope} command="svc secret set <NAME> @file" />
    </DialogForm>
  );
}

/** The store in which svc keeps the value itself. */
const HERE = '';

/** A value that svc stores, or the place of one in a secret store. A project without stores has no choice. */
function ValueField({ scope, command, from }: { scope: Scope; command: string; from?: SecretEntry['from'] }) {
  const [store, setStore] = useState(from?.store ?? HERE);
  const stores = useQuery({
    queryKey: ['secret-stores', scope.org, scope.project],
    queryFn: ({ signal }) => readAllPages<SecretStore>(scoped(scope, '/secret-stores'), 'secret_stores', { signal }),
  });
  return (
    <>
      {stores.data !== undefined && stores.data.length > 0 && (
        <label>
          Stored in
          <select
            name={store === HERE ? undefined : 'store'}
            value={store}
            onChange={({ target }) => setStore(target.value)}
          >
            <option value={HERE}>svc</option>
            {stores.data.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {store === HERE ? (
        <>
          <HiddenField
            name="value"
            label="Value"
            hint="At least 4 characters: a shorter one cannot be masked in logs"
          />
          <p className="quiet">
            To set a multi-line value: <code>{command}</code>
          </p>
        </>
      ) : (
        <>
          <TextField name="path" label="Path" value={from?.path ?? ''} hint="app/db" />
          <TextField name="field" label="Field" value={from?.field ?? ''} optional hint="password" />
        </>
      )}
    </>
  );
}

interface ActionProps {
  scope: Scope;
  name: string;
  from: SecretEntry['from'];
  onReveal(shown: Shown): void;
}

function Actions({ scope, name, from, onReveal }: ActionProps) {
  const may = useMay(scope);
  const save = useSave(scope);
  const refetch = useRefetch();
  const list = scoped(scope, '/secrets');
  const path = `${list}/${encodeURIComponent(name)}`;
  const remove = async () => {
    await json(path, { method: 'DELETE' });
    await refetch(listKey(list));
    toast(`Secret ${name} removed`);
  };
  const show = async () => onReveal({ name, value: (await json<Secret>(path)).value });
  return (
    <ActionMenu
      label={`Actions for ${name}`}
      small
      actions={[
        {
          ...{ icon: Eye, label: 'Show value' },
          opens: (close) => (
            <Asked title={`Show the value of ${name}?`} verb="Show value" run={show} close={close}>
              The audit log records that you read it. CLI: <code>svc secret get {name}</code>
            </Asked>
          ),
        },
        may('admin') && {
          ...{ icon: RotateCw, label: 'Replace value' },
          opens: (close) => (
            <FormDialog
              title={`Replace the value of ${name}`}
              verb="Replace value"
              run={(fields) => save({ ...fields, name })}
              close={close}
            >
              <ValueField scope={scope} command={`svc secret set ${name} @file`} from={from} />
            </FormDialog>
          ),
        },
        may('admin') && {
          ...{ icon: Trash2, label: 'Remove secret', danger: true },
          opens: (close) => (
            <Asked title={`Remove the secret ${name}?`} verb="Remove secret" danger run={remove} close={close}>
              Jobs that start from now on do not get it.
            </Asked>
          ),
        },
      ]}
    />
  );
}

const Value = ({ shown: { name, value }, close }: { shown: Shown; close(): void }) => (
  <section className="panel once" aria-label={`Value of ${name}`}>
    <h2>Value of {name}</h2>
    <Block text={value} />
    <div className="row">
      <Copy text={value} label={`Copy the value of ${name}`} />
      <button type="button" onClick={close}>
        Hide value
      </button>
    </div>
  </section>
);
