import type { Output } from '../../output/output.ts';

/** As the API answers it. */
export interface Webhook {
  name: string;
  forge: string;
  repo: string;
  api_base?: string;
  delivery_url: string;
  secret?: string;
  credential?: string;
  registration: 'manual' | 'pending' | 'registered';
  workflow?: { kind?: string; filename?: string };
  warnings?: string[];
}

export const runsOf = ({ workflow }: Webhook): string => workflow?.filename ?? workflow?.kind ?? '';

/** The address and the secret stand on standard output, so that they can be piped on. */
export function showWebhook(output: Output, webhook: Webhook): void {
  const { credential, api_base, secret } = webhook;
  const rows: [string, string | undefined][] = [
    ['name', webhook.name],
    ['forge', webhook.forge],
    ['repo', webhook.repo],
    ['runs', webhook.workflow === undefined ? undefined : runsOf(webhook) || 'a workflow'],
    ['at forge', webhook.registration],
    ['api base', api_base],
    ['credential', credential],
    ['address', webhook.delivery_url],
    ['secret', secret],
  ];
  output.data(webhook, () =>
    rows
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name.padEnd(10)}  ${value}`)
      .join('\n'),
  );
  for (const warning of webhook.warnings ?? []) output.note(`warning: ${warning}`);
}
