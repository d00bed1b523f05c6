import type { Database } from '../../../kernel/contracts/index.ts';
import { type WorkflowAbout, workflowUser } from '../../workflows/contract.ts';
import { namingCredential } from '../store/handlers.ts';

/** Handlers whose runs will name a credential. */
export const handlerUser = (database: Pick<Database, 'read'>) =>
  workflowUser('handler', async (scope, credential) =>
    (await namingCredential(database, scope, credential)).map(({ name, about }) => {
      const { credentials, named } = JSON.parse(about) as WorkflowAbout;
      return { name, credentials: JSON.stringify({ ...named, ...credentials }) };
    }),
  );
