import type { Database } from '../../../../kernel/contracts/index.ts';
import { workflowCredentialUser } from '../../../events/workflows/contract.ts';
import { listNamingCredentials } from '../store/webhooks.ts';

/** Webhooks that name a credential: to register at the forge, or in their workflow. */
export const webhookUser = (database: Pick<Database, 'read'>) =>
  workflowCredentialUser('webhook', async (scope, credential_name) =>
    (await listNamingCredentials(database, scope)).map(({ name, credential, credentials }) => ({
      name,
      credentials,
      other_uses: credential === credential_name ? ['registers at the forge'] : [],
    })),
  );
