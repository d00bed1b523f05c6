import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { WebhookView, WebhookWarnings } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Deliveries } from '../deliveries/deliveries.tsx';
import { OldSecret, Rotate } from '../deliveries/rotate.tsx';
import { Copy, Loading, Name, Problem, Time } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { Fact } from '../kit/facts.tsx';
import { InlineForm } from '../kit/inline-form.tsx';
import { Once, type Secret } from '../kit/once.tsx';
import { listKey } from '../kit/paged.ts';
import { Page, Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { WorkflowFacts } from '../kit/workflow-fields.tsx';
import { WebhookFields, webhookOf } from './form.tsx';
import { REGISTRATION, secretOf } from './webhooks.tsx';

/** One repository at a forge: its address, what runs at its pushes, and what came. */
export function Webhook() {
  const { webhook: name, ...scope } = useParams({ from: '/orgs/$org/projects/$project/webhooks/$webhook' });
  const [shown, setShown] = useState<Secret>();
  const may = useMay(scope);
  const client = useQueryClient();
  const path = scoped(scope, `/webhooks/${encodeURIComponent(name)}`);
  const read = useQuery({ queryKey: ['webhook', path], queryFn: ({ signal }) => json<WebhookView>(path, { signal }) });
  const webhook = read.data;
  // The answer may hold the secret, which does not belong into what the page keeps.
  const put = async (body: Record<string, unknown>) => {
    const answer = await json<WebhookView>(path, { method: 'PUT', body });
    setShown(secretOf(answer));
    await client.invalidateQueries({ queryKey: ['webhook', path] });
    if (answer.warnings) throw new Error(`It is set. ${answer.warnings.join(' ')}`);
  };
  const rotate = async (body: Record<string, unknown>) => {
    setShown(secretOf(await json<WebhookView>(`${path}/rotate`, { method: 'POST', body })));
    await client.invalidateQueries({ queryKey: ['webhook', path] });
  };
  return (
    <Page
      title={name}
      heading={<Name>{name}</Name>}
      actions={webhook && may('admin') && <Actions scope={scope} webhook={webhook} path={path} rotate={rotate} />}
      same={{ command: `svc webhook show ${name}`, call: `GET ${path}` }}
    >
      {read.error && <Problem error={read.error} again={() => void read.refetch()} />}
      {read.isPending && <Loading />}
      <Once shown={shown} close={() => setShown(undefined)} />
      {webhook && (
        <>
          <Panel>
            <Facts webhook={webhook} />
          </Panel>
          {may('admin') && (
            <Panel>
              <details>
                <summary>Change it</summary>
                <InlineForm key={name} verb="Replace it" run={(fields) => put(webhookOf(fields))}>
                  <p className="quiet">Its address and its secret stay.</p>
                  <WebhookFields webhook={webhook} />
                </InlineForm>
              </details>
            </Panel>
          )}
          <Deliveries scope={scope} command="svc webhook" name={name} path={path} may={may('member')} />
        </>
      )}
    </Page>
  );
}

const Facts = ({ webhook }: { webhook: WebhookView }) => (
  <dl>
    <Fact name="Repository">
      {visible(webhook.repo)} at {visible(webhook.forge)}
    </Fact>
    <Fact name="Address">
      <code>{webhook.delivery_url}</code> <Copy text={webhook.delivery_url} label="Copy the address" />
    </Fact>
    <Fact name="At the forge">{REGISTRATION[webhook.registration]}</Fact>
    {webhook.api_base && <Fact name="Its API">{visible(webhook.api_base)}</Fact>}
    {webhook.credential && <Fact name="Credential">{visible(webhook.credential)}</Fact>}
    {webhook.warnings && <Fact name="Could not be done">{webhook.warnings.map(visible).join(' ')}</Fact>}
    <Fact name="Set">
      <Time at={webhook.set_at} />
    </Fact>
    <OldSecret of={webhook} />
    <WorkflowFacts workflow={webhook.workflow} />
  </dl>
);

interface ActionProps {
  scope: Scope;
  webhook: WebhookView;
  path: string;
  rotate(body: Record<string, unknown>): Promise<void>;
}

function Actions({ scope, webhook, path, rotate }: ActionProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    const answer = await json<WebhookWarnings | undefined>(path, { method: 'DELETE' });
    client.removeQueries({ queryKey: ['webhook', path] });
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/webhooks')) });
    if (answer) throw new Error(`It is removed here. ${answer.warnings.join(' ')}`);
    void navigate({ to: '/orgs/$org/projects/$project/webhooks', params: scope, search: {} });
  };
  return (
    <>
      <Rotate
        of={webhook}
        command="svc webhook"
        path={path}
        also="A webhook that the service made at the forge is told the new one."
        rotate={rotate}
      />
      <Confirm label="Remove" title={`Remove the webhook ${webhook.name}?`} verb="Remove it" danger run={remove}>
        Its address takes no more deliveries. It is removed at the forge too where the service made it. Runs go on.
      </Confirm>
    </>
  );
}
