import { type Database, inList } from '../../../kernel/contracts/index.ts';
import type { HeldRun, RunGuard, RunLimits } from '../contract.ts';
import { absentActivity, type ActivityOwners } from './activity-owners.ts';
import { holds, lockFence, lost } from './activity-rows.ts';
import { lockRunOf } from './run-rows.ts';
import { countCalls } from './untrusted-runs.ts';

const heldRun = ({ trusted }: { trusted: number }): HeldRun => ({ trusted: trusted === 1 });

/** The locks of runs and claims, for transactions of other plugins. */
export const createRunGuard = (
  database: Pick<Database, 'read'>,
  owners: Pick<ActivityOwners, 'of'>,
  limits: RunLimits,
): RunGuard => ({
  async holdRun(tx, run) {
    return heldRun(await lockRunOf(tx, run));
  },
  async holdClaim(tx, run, claim) {
    const held = await lockRunOf(tx, run);
    if (!holds(await lockFence(tx, claim.activity_id), claim)) throw lost(claim);
    return heldRun(held);
  },
  async countStored(tx, { run_id }, { trusted }, bytes) {
    const beyond = trusted ? undefined : await countCalls(tx, limits, run_id, [{ bytes }]);
    if (beyond) throw beyond;
  },
  async endedBefore(run_ids, before) {
    const list = inList(run_ids);
    const rows = await database.read<{ run_id: string }>(
      `SELECT run_id FROM runs_runs WHERE run_id IN ${list.marks} AND finished_at < ?`,
      [...list.params, before],
    );
    return rows.map(({ run_id }) => run_id);
  },
  async runOf(activity_id, within) {
    const { org_id, project_id, run_id } = await owners.of(activity_id);
    if (within !== undefined && within !== org_id) throw absentActivity(activity_id);
    return { org_id, project_id, run_id };
  },
});
