import type { Queries } from '../../../kernel/contracts/index.ts';

/** A claim of a run. `deadline` is epoch ms by the database's clock. */
export interface HeldClaim {
  activity_id: string;
  activity: string;
  agent_id: string;
  deadline: number;
}

/** What agents hold of a run, that first which ends first. */
export const readHeldClaims = (on: Pick<Queries, 'read'>, run_id: string, limit: number): Promise<HeldClaim[]> =>
  on.read<HeldClaim>(
    `SELECT activity_id, name AS activity, agent_id, deadline FROM runs_activities
     WHERE run_id = ? AND state = 'claimed' AND agent_id IS NOT NULL AND deadline IS NOT NULL
     ORDER BY deadline, activity_id LIMIT ${limit}`,
    [run_id],
  );
