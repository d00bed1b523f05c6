import type { Database } from '../../../kernel/contracts/index.ts';
import { lowestId, type Prunable, removeSome } from '../../retention/contract.ts';

/** Entries by age; their ids begin with their time. */
export const prunableEntries = (database: Database): Prunable => ({
  name: 'audit',
  summary: 'entries of the audit',
  async *prune(before, limit) {
    for (;;) {
      const params = [lowestId('aud', before), before];
      const removed = await removeSome(database, 'audit_entries', 'entry_id < ? AND at < ?', params, limit);
      if (removed > 0) yield removed;
      if (removed < limit) return;
    }
  },
});
