import { type Database, MEMBER } from '../../../../kernel/contracts/index.ts';
import type { AttentionSource } from '../../../platform/resources/contract.ts';
import { listFailing } from '../store/triggers.ts';

/** A source that fails once is no reason to look. */
const LEAST_FAILURES = 3;

/** Lists the triggers whose polls keep failing. */
export const triggersAttention = (database: Pick<Database, 'read'>): AttentionSource => ({
  name: 'triggers',
  access: MEMBER,
  async list(scope, limit) {
    const rows = await listFailing(database, scope, LEAST_FAILURES, limit);
    return rows.map(({ name, failures, error }) => ({
      kind: 'trigger',
      name,
      state: 'failing',
      detail: `${failures} polls failed: ${error ?? 'the cause is in the log'}`,
    }));
  },
});
