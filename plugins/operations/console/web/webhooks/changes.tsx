import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { WebhookView, WebhookWarnings } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Loading, Problem } from '../kit/basics.tsx';
import { Asked } from '../kit/confirm.tsx';
import { Drawer, FormDrawer } from '../kit/drawer.tsx';
import { listKey } from '../kit/paged.ts';
import { toast } from '../kit/toasts.tsx';
import { WebhookFields, webhookOf } from './form.tsx';

interface Props {
  scope: Scope;
  name: string;
  close(): void;
}

export const webhookPath = (scope: Scope, name: string): string =>
  scoped(scope, `/webhooks/${encodeURIComponent(name)}`);

/** One webhook with its document, which lists leave out. */
export function useWebhook(scope: Scope, name: string) {
  const path = webhookPath(scope, name);
  return useQuery({ queryKey: ['webhook', path], queryFn: ({ signal }) => json<WebhookView>(path, { signal }) });
}

export function ChangeWebhook({ scope, name, close }: Props) {
  const client = useQueryClient();
  const { data: webhook, error } = useWebhook(scope, name);
  const title = `Edit ${name}`;
  if (!webhook)
    return (
      <Drawer title={title} close={close}>
        {error ? <Problem error={error} /> : <Loading />}
      </Drawer>
    );
  const save = async (fields: Record<string, string>) => {
    const path = webhookPath(scope, name);
    const { warnings } = await json<WebhookView>(path, { method: 'PUT', body: webhookOf(fields) });
    await client.invalidateQueries({ queryKey: ['webhook', path] });
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/webhooks')) });
    if (warnings) throw new Error(`Saved. ${warnings.join(' ')}`);
    toast(`Webhook ${name} saved`);
  };
  return (
    <FormDrawer title={title} verb="Save changes" close={close} run={save}>
      <p className="quiet">Its address and its secret stay the same.</p>
      <WebhookFields webhook={webhook} />
    </FormDrawer>
  );
}

export function RemoveWebhook({ scope, name, close }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    const path = webhookPath(scope, name);
    const answer = await json<WebhookWarnings | undefined>(path, { method: 'DELETE' });
    client.removeQueries({ queryKey: ['webhook', path] });
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/webhooks')) });
    if (answer) toast(`Webhook ${name} removed here. ${answer.warnings.join(' ')}`, { state: 'failed' });
    else toast(`Webhook ${name} removed`);
    void navigate({ to: '/orgs/$org/projects/$project/webhooks', params: scope, search: {} });
  };
  return (
    <Asked title={`Remove the webhook ${name}?`} verb="Remove webhook" danger run={remove} close={close}>
      Its address takes no more deliveries. It is also removed at the forge if the service created it there. Runs that
      have started continue.
    </Asked>
  );
}
