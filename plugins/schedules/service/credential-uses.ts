import type { Database } from '../../../kernel/contracts/index.ts';
import { workflowUser } from '../../workflows/contract.ts';
import { namingCredentials } from '../store/schedules.ts';

/** Schedules whose runs will name a credential. */
export const scheduleUser = (database: Pick<Database, 'read'>) =>
  workflowUser('schedule', (scope) => namingCredentials(database, scope));
