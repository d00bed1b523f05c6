import type { Database } from '../../../../kernel/contracts/index.ts';
import { type Prunable, deleteBatch } from '../../../platform/retention/contract.ts';

const TABLE = { table: 'deliveries_deliveries', key: 'project_id, source, name, delivery_id' };

/** The list of what came in; the events that it became are pruned as events. */
export const prunableDeliveries = (database: Database): Prunable => ({
  name: 'deliveries',
  summary: 'the list of deliveries to hooks and webhooks; their events stay',
  async *prune(before, limit) {
    for (let removed = limit; removed >= limit; ) {
      removed = await deleteBatch(database, TABLE, 'at < ?', [before], limit);
      if (removed > 0) yield removed;
    }
  },
});
