import { chunks, inList, insertRows, type Transaction } from '../../../kernel/contracts/index.ts';

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

/** How many ended attempts of a node lists name. */
const EARLIER_SHOWN = 20;

export type EarlierAttempt = Pick<FlowActivity, 'activity_id' | 'n' | 'item' | 'attempt'>;

/** Of each node or item, the attempts before number `before`, oldest first and at most the newest 20. */
export async function readEarlier(
  on: Pick<Transaction, 'read'>,
  run_id: string,
  nodes: readonly { n: number; item: number; before: number }[],
): Promise<EarlierAttempt[]> {
  const found: EarlierAttempt[] = [];
  for (const part of chunks(nodes)) {
    const each = part.map(() => '(n = ? AND item = ? AND attempt >= ? AND attempt < ?)').join(' OR ');
    const params = part.flatMap(({ n, item, before }) => [n, item, before - EARLIER_SHOWN, before]);
    const rows = await on.read<EarlierAttempt>(
      `SELECT activity_id, n, item, attempt FROM flows_activities
       WHERE run_id = ? AND role = 'work' AND (${each}) ORDER BY n, item, attempt`,
      [run_id, ...params],
    );
    found.push(...rows);
  }
  return found;
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
