import { inList, insertRows, type Transaction } from '../../../kernel/contracts/index.ts';

/** The node and item of a flow's activity. */
export interface FlowActivity {
  activity_id: string;
  n: number;
  item: number;
  role: 'work' | 'timer' | 'pause';
  attempt: number;
}

const COLUMNS = ['activity_id', 'run_id', 'n', 'item', 'role', 'attempt'];

export async function insertActivities(
  tx: Transaction,
  run_id: string,
  activities: readonly FlowActivity[],
): Promise<void> {
  const rows = activities.map(({ activity_id, n, item, role, attempt }) => [
    activity_id,
    run_id,
    n,
    item,
    role,
    attempt,
  ]);
  await insertRows(tx, 'INSERT INTO flows_activities', COLUMNS, rows);
}

/** Undefined for an activity outside of the plan: a child that a script submitted. */
export async function readActivity(
  on: Pick<Transaction, 'read'>,
  run_id: string,
  activity_id: string,
): Promise<FlowActivity | undefined> {
  const [row] = await on.read<FlowActivity>(
    'SELECT activity_id, n, item, role, attempt FROM flows_activities WHERE activity_id = ? AND run_id = ?',
    [activity_id, run_id],
  );
  return row;
}

/** Those of at most 128 that are of a node. */
export async function readActivities(
  on: Pick<Transaction, 'read'>,
  run_id: string,
  activity_ids: readonly string[],
): Promise<Pick<FlowActivity, 'activity_id' | 'n'>[]> {
  const { marks, params } = inList(activity_ids);
  return on.read(`SELECT activity_id, n FROM flows_activities WHERE activity_id IN ${marks} AND run_id = ?`, [
    ...params,
    run_id,
  ]);
}
