import type { Database } from '../../../kernel/contracts/index.ts';
import type { CredentialUse, CredentialUser } from '../../credentials/contract.ts';
import { namingCredentials, type WebhookEntry } from '../store/webhook-table.ts';

/** Webhooks that name a credential: to register at the forge, or in their workflow. */
export function webhookUser(database: Pick<Database, 'read'>): CredentialUser {
  return {
    kind: 'webhook',
    async uses(scope, name, limit) {
      const found = await namingCredentials(database, scope);
      return found.flatMap((webhook) => usesIn(webhook, name)).slice(0, limit);
    },
  };
}

function usesIn(
  { name, credential, credentials }: Pick<WebhookEntry, 'name' | 'credential' | 'credentials'>,
  wanted: string,
): CredentialUse[] {
  const variables = Object.entries(JSON.parse(credentials ?? '{}') as Record<string, string>);
  const details = [
    ...(credential === wanted ? ['registers at the forge'] : []),
    ...variables.filter(([, value]) => value === wanted).map(([variable]) => variable),
  ];
  return details.map((detail) => ({ kind: 'webhook', name, detail }));
}
