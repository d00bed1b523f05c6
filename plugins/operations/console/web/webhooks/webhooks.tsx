import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { GitBranch, Pencil, Plus, Trash2, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import type { WebhookView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { LastDelivery } from '../deliveries/last-delivery.tsx';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Copy, Empty } from '../kit/basics.tsx';
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
import { WhatRuns } from '../kit/what-runs.tsx';
import { runsWhat } from '../kit/workflow.ts';
import { ChangeWebhook, RemoveWebhook, webhookPath } from './changes.tsx';
import { WebhookFields, webhookOf } from './form.tsx';

/** The state in which each registration is shown. */
export const REGISTRATION_STATES: Record<WebhookView['registration'], string> = {
  manual: 'idle',
  pending: 'running',
  registered: 'healthy',
};

export const REGISTRATION: Record<WebhookView['registration'], string> = {
  manual: 'Created by hand',
  pending: 'Being created',
  registered: 'Created by svc',
};

const REGISTRATIONS: Choice = {
  name: 'state',
  label: 'At the forge',
  options: (['registered', 'pending', 'manual'] as const).map((value) => ({
    value,
    label: REGISTRATION[value],
    state: REGISTRATION_STATES[value],
  })),
};

export const secretOf = ({ name, secret }: WebhookView): Secret | undefined =>
  secret === undefined
    ? undefined
    : { of: `the webhook ${name}`, secret, use: 'The forge signs with it: set it where you create the webhook there.' };

const FROM = '/orgs/$org/projects/$project/webhooks';
/** Every webhook of a project: words and filters are looked for in all of them. */
const ALL = { limit: 200 };

export function Webhooks() {
  const scope = useParams({ from: FROM });
  const { make, find = '', state } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const [shown, setShown] = useState<Secret>();
  const may = useMay(scope);
  const path = scoped(scope, '/webhooks');
  const list = usePaged<'webhooks', WebhookView>('webhooks', path, ALL, { again_ms: AGAIN_MS });
  const fits = (one: WebhookView) =>
    hasWords([one.name, one.repo, one.forge, runsWhat(one.workflow)], find) &&
    (state === undefined || one.registration === state);
  const makeLink = may('admin') && (
    <Link to={FROM} params={scope} search={{ make: true }} className="button main">
      <Plus size={16} aria-hidden /> New webhook
    </Link>
  );
  return (
    <Page
      title="Webhooks"
      bleed
      about={list.items?.length || undefined}
      actions={makeLink}
      same={{ command: 'svc webhook ls', call: `GET ${path}` }}
    >
      {make && may('admin') && <MakeWebhook scope={scope} onMade={setShown} />}
      <FilterBar
        label="Find a webhook"
        hint="Name, repository or workflow"
        find={find}
        choices={[REGISTRATIONS]}
        chosen={{ state }}
        onChange={(search) => void navigate({ search, replace: true })}
      />
      <Once shown={shown} close={() => setShown(undefined)} />
      <List
        list={list}
        nothing={
          <Empty icon={WebhookIcon} title="No webhooks yet" action={makeLink}>
            A webhook receives what happens in a repository: pushes, pull requests, comments.
          </Empty>
        }
      >
        {(webhooks) => <Found scope={scope} webhooks={webhooks.filter(fits)} />}
      </List>
    </Page>
  );
}

function Found({ scope, webhooks }: { scope: Scope; webhooks: readonly WebhookView[] }) {
  if (webhooks.length === 0) return <Empty title="No webhook fits these filters" />;
  return (
    <Rows<WebhookView>
      label="Webhooks"
      head="Webhook"
      items={webhooks}
      keyOf={({ name }) => name}
      mark={() => <WebhookIcon className="mark" size={16} aria-hidden />}
      title={({ name }) => (
        <Link className="clip" to={`${FROM}/$webhook`} params={{ ...scope, webhook: name }} title={visible(name)}>
          {visible(name)}
        </Link>
      )}
      columns={[
        { name: 'Repository', look: 'c-when', cell: (webhook) => <Repository webhook={webhook} /> },
        {
          name: 'Address',
          look: 'c-roomy',
          cell: ({ name, delivery_url }) => <AddressCell name={name} address={delivery_url} />,
        },
        { name: 'Runs on push', look: 'c-wide', cell: ({ workflow }) => <Runs workflow={workflow} /> },
        {
          name: 'Last delivery',
          look: 'c-short',
          cell: ({ name }) => <LastDelivery path={webhookPath(scope, name)} />,
        },
        {
          name: 'At the forge',
          look: 'c-state c-wide second',
          cell: ({ registration }) => REGISTRATION[registration],
        },
      ]}
      second={(webhook) => (
        <>
          <span className="clip">
            <Repository webhook={webhook} />
          </span>
          <span className="push">
            <LastDelivery path={webhookPath(scope, webhook.name)} />
          </span>
        </>
      )}
      actions={({ name }) => <WebhookMenu scope={scope} name={name} />}
    />
  );
}

/** An address that is too long for a column, with a button that copies all of it. */
export const AddressCell = ({ name, address }: { name: string; address: string }) => (
  <span className="address-cell">
    <code className="clip" title={address}>
      …{new URL(address).pathname.slice(-10)}
    </code>
    <Copy text={address} label={`Copy address of ${name}`} />
  </span>
);

const Repository = ({ webhook: { repo, forge } }: { webhook: WebhookView }) => (
  <span className="with-icon">
    <GitBranch size={14} aria-hidden />
    <span className="clip" title={`${visible(repo)} · ${visible(forge)}`}>
      {visible(repo)}
    </span>
  </span>
);

export const Runs = ({ workflow }: Pick<WebhookView, 'workflow'>) => (
  <WhatRuns workflow={workflow} nothing="Only handlers" />
);

function WebhookMenu({ scope, name }: { scope: Scope; name: string }) {
  const may = useMay(scope);
  if (!may('admin')) return null;
  return (
    <ActionMenu
      label={`Actions for ${name}`}
      small
      actions={[
        {
          icon: Pencil,
          label: 'Edit webhook',
          opens: (close) => <ChangeWebhook scope={scope} name={name} close={close} />,
        },
        {
          icon: Trash2,
          label: 'Remove webhook',
          danger: true,
          opens: (close) => <RemoveWebhook scope={scope} name={name} close={close} />,
        },
      ]}
    />
  );
}

function MakeWebhook({ scope, onMade }: { scope: Scope; onMade(secret: Secret | undefined): void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const make = async (fields: Record<string, string>) => {
    const path = webhookPath(scope, fields.name ?? '');
    const body = webhookOf(fields);
    await refuseTaken(path, 'webhook');
    onMade(secretOf(await json<WebhookView>(path, { method: 'PUT', body })));
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/webhooks')) });
  };
  const close = () => void navigate({ to: FROM, params: scope, search: {} });
  return (
    <FormDrawer title="New webhook" verb="Create webhook" close={close} run={make}>
      <TextField name="name" label="Name" pattern={NAME} wants={NAME_WANTS} />
      <WebhookFields />
    </FormDrawer>
  );
}
