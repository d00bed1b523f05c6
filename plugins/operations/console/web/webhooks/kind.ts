import { Webhook } from 'lucide-react';
import type { WebhookView } from '../../../../../cli/generated/api.ts';
import type { NamedKind } from '../kit/named.tsx';
import type { Secret } from '../kit/once.tsx';
import { runsWhat } from '../kit/workflow.ts';
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

/** The secret of a webhook, while the server shows it. */
export const secretOf = ({ name, secret }: WebhookView): Secret | undefined =>
  secret === undefined
    ? undefined
    : {
        of: `the webhook ${name}`,
        secret,
        use: 'The forge signs deliveries with it: set it when you create the webhook there.',
      };

export const WEBHOOKS: NamedKind<WebhookView> = {
  one: 'webhook',
  title: 'Webhooks',
  icon: Webhook,
  path: '/webhooks',
  plural: 'webhooks',
  page: '/orgs/$org/projects/$project/webhooks',
  command: 'svc webhook',
  about: "A webhook receives a repository's events: pushes, pull requests, comments.",
  finds: 'Name, repository or workflow',
  wordsOf: ({ name, repo, forge, workflow }) => [name, repo, forge, runsWhat(workflow)],
  filter: {
    name: 'state',
    label: 'At the forge',
    options: (['registered', 'pending', 'manual'] as const).map((value) => ({
      value,
      label: REGISTRATION[value],
      state: REGISTRATION_STATES[value],
    })),
  },
  filterOf: ({ registration }) => registration,
  Fields: WebhookFields,
  bodyOf: webhookOf,
  editNote: 'Its address and its secret stay the same.',
  removal:
    'Its address accepts no more deliveries. It is also removed at the forge if the service created it there. Runs that have started continue.',
  secretOf,
};
