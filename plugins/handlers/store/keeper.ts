import type { Database } from '../../../kernel/contracts/index.ts';
import type { EventKeeper } from '../../bus/contract.ts';

/** Events whose handler runs are queued or have not ended. */
export const handlerKeeper = (database: Pick<Database, 'read'>): EventKeeper => ({
  name: 'handlers',
  async keeps({ project_id }, event_ids) {
    const marks = event_ids.map(() => '?').join(', ');
    const of = (table: string) =>
      database.read<{ event_id: string }>(
        `SELECT event_id FROM ${table} WHERE project_id = ? AND event_id IN (${marks})`,
        [project_id, ...event_ids],
      );
    // Queue first: a delivery that leaves the queue in between is then found among the runs.
    const queued = await of('handlers_queue');
    const open = await of('handlers_runs');
    return [...queued, ...open].map(({ event_id }) => event_id);
  },
});
