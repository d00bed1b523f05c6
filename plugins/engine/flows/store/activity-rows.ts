import { chunks, inList, insertRows, type Transaction } from '../../../../kernel/contracts/index.ts';

/** The node and item that an activity of a flow belongs to. */
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

/** The number of ended attempts that lists name for a node. */
const MAX_EARLIER_ATTEMPTS = 20;

export type EarlierAttempt = Pick<FlowActivity, 'activity_id' | 'n' | 'item' | 'attempt'>;

/** Reads the attempts of each node or item before number `before`, oldest first, at most the newest 20. */
export async function readEarlierAttempts(
  on: Pick<Transaction, 'read'>,
  run_id: string,
  nodes: readonly { n: number; item: number; before: number }[],
): Promise<EarlierAttempt[]> {
  const attempts: EarlierAttempt[] = [];
  for (const batch of chunks(nodes)) {
    const conditions = batch.map(() => '(n = ? AND item = ? AND attempt >= ? AND attempt < ?)').join(' OR ');
    const params = batch.flatMap(({ n, item, before }) => [n, item, before - MAX_EARLIER_ATTEMPTS, before]);
    const rows = await on.read<EarlierAttempt>(
      `SELECT activity_id, n, item, attempt FROM flows_activities
       WHERE run_id = ? AND role = 'work' AND (${conditions}) ORDER BY n, item, attempt`,
      [run_id, ...params],
    );
    attempts.push(...rows);
  }
  return attempts;
}

/** Returns undefined for an activity outside of the plan, such as a child that a script submitted. */
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

/** Returns those of at most 128 activities that belong to a node. */
export async function readActivities(
  on: Pick<Transaction, 'read'>,
  run_id: string,
  activity_ids: readonly string[],
): Promise<Pick<FlowActivity, 'activity_id' | 'n'>[]> {
  const { placeholders, params } = inList(activity_ids);
  return on.read(`SELECT activity_id, n FROM flows_activities WHERE activity_id IN ${placeholders} AND run_id = ?`, [
    ...params,
    run_id,
  ]);
}
