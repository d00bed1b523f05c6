import type { Database } from '../../../../kernel/contracts/index.ts';
import { workflowCredentialUser } from '../../workflows/contract.ts';
import { listUsingCredentials } from '../store/schedules.ts';

/** Finds the schedules whose runs will use a credential. */
export const scheduleCredentialUser = (database: Pick<Database, 'read'>) =>
  workflowCredentialUser('schedule', (scope) => listUsingCredentials(database, scope));
