import { chunks, inList, inState, type Transaction } from '../../../../../kernel/contracts/index.ts';
import { PAUSED_DUE } from '../../contract.ts';
import { ACTIVITY } from '../rows/activities.ts';

/**
 * Postpones pending activities of paused runs, whose rows are locked. What makes an activity pending need not know whether its
 * run is paused: the first claim that finds it puts it off.
 */
export async function postponePending(tx: Transaction, activities: readonly { activity_id: string }[]): Promise<void> {
  for (const ids of chunks(activities.map(({ activity_id }) => activity_id))) {
    const list = inList(ids);
    await tx.write(
      `UPDATE runs_activities SET due = ? WHERE ${inState('pending')} AND activity_id IN ${list.placeholders}`,
      [PAUSED_DUE, ...list.params],
    );
    tx.skipConflictGuard(
      ACTIVITY.table,
      ids.map((id) => [id]),
    );
  }
}
