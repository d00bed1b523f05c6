import type { Param, Transaction } from '../../../kernel/contracts/index.ts';
import type { Claimed, InstantClaimer, NewActivity } from '../contract.ts';
import { insertedActivity } from './activities.ts';
import { activityRow, insertActivities, type InsertedActivity } from './activity-rows.ts';
import type { TakenClaim } from './claim.ts';
import type { StoreParts } from './parts.ts';
import type { LockedRun } from './run-columns.ts';
import { triggerOf } from './run-rows.ts';

/**
 * Adds activities to a coordinated run whose row is locked. Those for which somebody in this process has room are claimed
 * from the start; the others are pending. Answers whether one was claimed.
 */
export async function addClaimed(
  tx: Transaction,
  store: StoreParts,
  run: LockedRun,
  activities: readonly NewActivity[],
): Promise<boolean> {
  const now = store.database.now();
  const rows: Param[][] = [];
  const taken: { claimer: InstantClaimer; row: InsertedActivity }[] = [];
  for (const activity of activities) {
    const row = await insertedActivity(tx, store, run, activity);
    const trusted = run.trusted === 1;
    const requires = store.lanes.requiresOf(activity, trusted);
    // A claim from the start is one without a journal.
    const claimer = activity.resumed ? undefined : store.instant.claimerFor(run, { ...activity, requires }, trusted);
    if (!claimer) rows.push(activityRow(row, run, now));
    else {
      const claim = { agent_id: claimer.agent_id, deadline: now + claimer.lease_ms };
      rows.push(activityRow({ ...row, claim }, run, now));
      taken.push({ claimer, row });
    }
  }
  await insertActivities(tx, rows);
  tx.afterCommit(() => {
    for (const { claimer, row } of taken) store.instant.handOver(claimer, takenClaim(run, row));
    if (taken.length < activities.length) store.wakeups.work();
    store.wakeups.run(run.run_id, { project_id: run.project_id, part: 'steps' });
  });
  return taken.length > 0;
}

/** The envelope is read when the work begins. */
export const takenClaim = (run: LockedRun, { activity_id, executor, name, spec }: InsertedActivity): TakenClaim => ({
  ...{ activity_id, executor, name, stored_spec: spec, epoch: 1, pass: 0, waited_ms: 0, rerun: false, tried_at: null },
  ...{ run_id: run.run_id, org_id: run.org_id, project_id: run.project_id, org: run.org, project: run.project },
  run_trace: run.trace,
  envelope: triggerOf(run) as Claimed['envelope'],
  trusted: run.trusted === 1,
  coordinated: run.coordinator !== null,
});
