import type { Database } from '../../../../kernel/contracts/index.ts';
import { type WorkflowSummary, workflowCredentialUser } from '../../workflows/contract.ts';
import { listUsingCredential } from '../store/handlers.ts';

/** Finds the handlers whose runs will use a credential. */
export const handlerCredentialUser = (database: Pick<Database, 'read'>) =>
  workflowCredentialUser('handler', async (scope, credential) =>
    (await listUsingCredential(database, scope, credential)).map(({ name, about }) => {
      const { credentials, named } = JSON.parse(about) as WorkflowSummary;
      return { name, credentials: JSON.stringify({ ...named, ...credentials }) };
    }),
  );
