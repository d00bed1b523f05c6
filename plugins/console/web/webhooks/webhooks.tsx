import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { WebhookView } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Name, Time } from '../kit/basics.tsx';
import { TextField } from '../kit/dialog-form.tsx';
import { InlineForm } from '../kit/inline-form.tsx';
import { List, Table } from '../kit/list.tsx';
import { NAME, NAME_WANTS } from '../kit/more-fields.tsx';
import { Once, type Secret } from '../kit/once.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Page, Panel } from '../kit/page.tsx';
import { refuseTaken } from '../kit/taken.ts';
import { visible } from '../kit/text.ts';
import { runsWhat } from '../kit/workflow.ts';
import { WebhookFields, webhookOf } from './form.tsx';

export const REGISTRATION: Record<WebhookView['registration'], string> = {
  manual: 'made by hand there',
  pending: 'being made there',
  registered: 'made there by the service',
};

export const secretOf = ({ name, secret }: WebhookView): Secret | undefined =>
  secret === undefined
    ? undefined
    : { of: `the webhook ${name}`, secret, use: 'The forge signs with it: put it where the webhook is made there.' };

export function Webhooks() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/webhooks' });
  const { make } = useSearch({ from: '/orgs/$org/projects/$project/webhooks' });
  const [shown, setShown] = useState<Secret>();
  const may = useMay(scope);
  const path = scoped(scope, '/webhooks');
  const list = usePaged<'webhooks', WebhookView>('webhooks', path, {}, { again_ms: AGAIN_MS });
  return (
    <Page
      title="Webhooks"
      actions={
        may('admin') &&
        !make && (
          <Link to="/orgs/$org/projects/$project/webhooks" params={scope} search={{ make: true }} className="button">
            New webhook
          </Link>
        )
      }
      same={{ command: 'svc webhook ls', call: `GET ${path}` }}
    >
      <p className="quiet">
        Repositories at a forge. Pushes become events of the type push, the rest forge.&lt;event&gt;.
      </p>
      <Once shown={shown} close={() => setShown(undefined)} />
      {make && may('admin') && <MakeWebhook scope={scope} onMade={setShown} />}
      <List list={list} empty="There is no webhook yet.">
        {(webhooks) => (
          <Table columns={['Webhook', 'Repository', 'Runs at pushes', '-At the forge', '-Set']}>
            {webhooks.map((webhook) => (
              <Row key={webhook.name} scope={scope} webhook={webhook} />
            ))}
          </Table>
        )}
      </List>
    </Page>
  );
}

const Row = ({ scope, webhook }: { scope: Scope; webhook: WebhookView }) => (
  <tr>
    <td>
      <Link to="/orgs/$org/projects/$project/webhooks/$webhook" params={{ ...scope, webhook: webhook.name }}>
        <Name>{webhook.name}</Name>
      </Link>
    </td>
    <td>
      {visible(webhook.repo)}
      <div className="quiet">{visible(webhook.forge)}</div>
    </td>
    <td>{visible(runsWhat(webhook.workflow)) || <span className="quiet">only handlers</span>}</td>
    <td className="wide">{REGISTRATION[webhook.registration]}</td>
    <td className="tight wide">
      <Time at={webhook.set_at} />
    </td>
  </tr>
);

function MakeWebhook({ scope, onMade }: { scope: Scope; onMade(secret: Secret | undefined): void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = () => void navigate({ to: '/orgs/$org/projects/$project/webhooks', params: scope, search: {} });
  const make = async (fields: Record<string, string>) => {
    const path = scoped(scope, `/webhooks/${encodeURIComponent(fields.name ?? '')}`);
    const body = webhookOf(fields);
    await refuseTaken(path, 'webhook');
    onMade(secretOf(await json<WebhookView>(path, { method: 'PUT', body })));
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/webhooks')) });
    leave();
  };
  return (
    <Panel title="New webhook">
      <InlineForm
        verb="Make it"
        run={make}
        also={
          <button type="button" onClick={leave}>
            Leave it
          </button>
        }
      >
        <TextField name="name" label="Name" pattern={NAME} wants={NAME_WANTS} />
        <WebhookFields />
      </InlineForm>
    </Panel>
  );
}
