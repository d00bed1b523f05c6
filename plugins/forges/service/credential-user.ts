import type { Database } from '../../../kernel/contracts/index.ts';
import { workflowUser } from '../../workflows/contract.ts';
import { namingCredentials } from '../store/webhooks.ts';

/** Webhooks that name a credential: to register at the forge, or in their workflow. */
export const webhookUser = (database: Pick<Database, 'read'>) =>
  workflowUser('webhook', async (scope, wanted) =>
    (await namingCredentials(database, scope)).map(({ name, credential, credentials }) => ({
      name,
      credentials,
      others: credential === wanted ? ['registers at the forge'] : [],
    })),
  );
