import type { Api, Columns } from '../../../../cli/contract.ts';

export type Webhook = Api.WebhookView;

export const formatWorkflow = ({ workflow }: Webhook): string => String(workflow?.filename ?? workflow?.kind ?? '');

/** Address and secret are printed to standard output, so that they can be piped. */
export const COLUMNS: Columns<Webhook> = {
  name: 'name',
  forge: 'forge',
  repo: 'repo',
  workflow: (webhook) => webhook.workflow && (formatWorkflow(webhook) || 'a workflow'),
  timeout: ({ workflow }) => workflow?.timeout && String(workflow.timeout),
  checkout: ({ workflow }) => workflow?.checkout && JSON.stringify(workflow.checkout),
  registration: 'registration',
  'api base': 'api_base',
  credential: 'credential',
  address: 'delivery_url',
  'old secret until': 'old_secret_until',
  'last used': ({ old_secret_until, last_old_secret_use }) =>
    old_secret_until && (last_old_secret_use ?? 'the old secret has not been used since the rotation'),
  secret: 'secret',
};
