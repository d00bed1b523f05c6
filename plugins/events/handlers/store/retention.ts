import type { Database } from '../../../../kernel/contracts/index.ts';
import type { EventReaction } from '../../bus/contract.ts';

/** Protects events whose handler runs are queued or have not ended. */
export const protectedEvents =
  (database: Pick<Database, 'read'>): NonNullable<EventReaction['findProtected']> =>
  async ({ project_id }, event_ids) => {
    const marks = event_ids.map(() => '?').join(', ');
    const select = (table: string) =>
      database.read<{ event_id: string }>(
        `SELECT event_id FROM ${table} WHERE project_id = ? AND event_id IN (${marks})`,
        [project_id, ...event_ids],
      );
    // The queue is read first, so that a delivery leaving it in between is found among the runs.
    const queued = await select('handlers_queue');
    const open = await select('handlers_runs');
    return [...queued, ...open].map(({ event_id }) => event_id);
  };
