import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Anchor, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Hook } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { LastDelivery } from '../deliveries/last-delivery.tsx';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Empty, Tag, Time } from '../kit/basics.tsx';
import { TextField } from '../kit/dialog-form.tsx';
import { FormDrawer } from '../kit/drawer.tsx';
import { type Choice, FilterBar } from '../kit/filter-bar.tsx';
import { List } from '../kit/list.tsx';
import { hasWords } from '../kit/list-address.ts';
import { NAME, NAME_WANTS } from '../kit/more-fields.tsx';
import { Once, type Secret } from '../kit/once.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Page } from '../kit/page.tsx';
import { Rows } from '../kit/rows.tsx';
import { refuseTaken } from '../kit/taken.ts';
import { visible } from '../kit/text.ts';
import { AddressCell } from '../webhooks/webhooks.tsx';
import { ChangeHook, hookPath, RemoveHook } from './changes.tsx';
import { HookFields, hookOf, secretOf } from './form.tsx';

export const MODES: Record<Hook['mode'], string> = {
  token: 'Shared secret',
  manifest: 'Connector signature',
  hmac: 'HMAC signature',
};

const MODE_CHOICE: Choice = {
  name: 'state',
  label: 'Verified by',
  options: Object.entries(MODES).map(([value, label]) => ({ value, label })),
};

const FROM = '/orgs/$org/projects/$project/hooks';
/** Every hook of a project: words and filters are looked for in all of them. */
const ALL = { limit: 200 };

export function Hooks() {
  const scope = useParams({ from: FROM });
  const { make, find = '', state } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const [shown, setShown] = useState<Secret>();
  const may = useMay(scope);
  const path = scoped(scope, '/event-hooks');
  const list = usePaged<'event_hooks', Hook>('event_hooks', path, ALL, { again_ms: AGAIN_MS });
  const fits = (hook: Hook) =>
    hasWords([hook.name, hook.event_type, hook.manifest, hook.owner], find) &&
    (state === undefined || hook.mode === state);
  const makeLink = may('admin') && (
    <Link to={FROM} params={scope} search={{ make: true }} className="button main">
      <Plus size={16} aria-hidden /> New hook
    </Link>
  );
  return (
    <Page
      title="Hooks"
      bleed
      about={list.items?.length || undefined}
      actions={makeLink}
      same={{ command: 'svc event-hook ls', call: `GET ${path}` }}
    >
      {make && may('admin') && <MakeHook scope={scope} onMade={setShown} />}
      <FilterBar
        label="Find a hook"
        hint="Name, event type or connector"
        find={find}
        choices={[MODE_CHOICE]}
        chosen={{ state }}
        onChange={(search) => void navigate({ search, replace: true })}
      />
      <Once shown={shown} close={() => setShown(undefined)} />
      <List
        list={list}
        nothing={
          <Empty icon={Anchor} title="No hooks yet" action={makeLink}>
            A hook is an address where another system reports what happened. Each delivery becomes an event.
          </Empty>
        }
      >
        {(hooks) => <Found scope={scope} hooks={hooks.filter(fits)} onSecret={setShown} />}
      </List>
    </Page>
  );
}

function Found({ scope, hooks, onSecret }: { scope: Scope; hooks: readonly Hook[] } & Pick<MenuProps, 'onSecret'>) {
  if (hooks.length === 0) return <Empty title="No hook fits these filters" />;
  return (
    <Rows<Hook>
      label="Hooks"
      head="Hook"
      items={hooks}
      keyOf={({ name }) => name}
      mark={() => <Anchor className="mark" size={16} aria-hidden />}
      title={({ name }) => (
        <Link className="clip" to={`${FROM}/$hook`} params={{ ...scope, hook: name }} title={visible(name)}>
          {visible(name)}
        </Link>
      )}
      beside={({ owner }) => owner && <Tag>{owner.replace(':', ' ')}</Tag>}
      columns={[
        { name: 'Event type', look: 'c-when', cell: EventType },
        {
          name: 'Address',
          look: 'c-roomy',
          cell: ({ name, ingest_url }) => <AddressCell name={name} address={ingest_url} />,
        },
        { name: 'Verified by', look: 'c-wide second', cell: Proof },
        { name: 'Last delivery', look: 'c-short', cell: ({ name }) => <LastDelivery path={hookPath(scope, name)} /> },
        { name: 'Changed', look: 'c-end c-wide', cell: ({ set_at }) => <Time at={set_at} /> },
      ]}
      second={(hook) => (
        <>
          <span className="clip">
            <EventType {...hook} />
          </span>
          <span className="push">
            <LastDelivery path={hookPath(scope, hook.name)} />
          </span>
        </>
      )}
      actions={(hook) => <HookMenu scope={scope} hook={hook} onSecret={onSecret} />}
    />
  );
}

const EventType = ({ event_type }: Hook) =>
  event_type === undefined ? <span className="quiet">Set by each delivery</span> : <Tag>{event_type}</Tag>;

const Proof = ({ mode, manifest }: Hook) => (
  <>
    {MODES[mode]}
    {manifest && ` · ${visible(manifest)}`}
  </>
);

interface MenuProps {
  scope: Scope;
  hook: Hook;
  onSecret(secret: Secret | undefined): void;
}

function HookMenu({ scope, hook, onSecret }: MenuProps) {
  const may = useMay(scope);
  if (!may('admin') || hook.owner) return null;
  return (
    <ActionMenu
      label={`Actions for ${hook.name}`}
      small
      actions={[
        {
          icon: Pencil,
          label: 'Edit hook',
          opens: (close) => <ChangeHook scope={scope} hook={hook} onSecret={onSecret} close={close} />,
        },
        {
          icon: Trash2,
          label: 'Remove hook',
          danger: true,
          opens: (close) => <RemoveHook scope={scope} name={hook.name} close={close} />,
        },
      ]}
    />
  );
}

function MakeHook({ scope, onMade }: { scope: Scope; onMade(secret: Secret | undefined): void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const make = async (fields: Record<string, string>) => {
    const path = hookPath(scope, fields.name ?? '');
    await refuseTaken(path, 'hook');
    const hook = await json<Hook>(path, { method: 'PUT', body: hookOf(fields) });
    onMade(secretOf(hook));
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/event-hooks')) });
  };
  const close = () => void navigate({ to: FROM, params: scope, search: {} });
  return (
    <FormDrawer title="New hook" verb="Create hook" close={close} run={make}>
      <TextField name="name" label="Name" pattern={NAME} wants={NAME_WANTS} />
      <HookFields />
    </FormDrawer>
  );
}
