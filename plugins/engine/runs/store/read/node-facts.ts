import { chunks, inList, type Queries, type Sealer } from '../../../../../kernel/contracts/index.ts';
import type { ActivityScope, EndedActivity, OpenActivity, OpenWait } from '../../contract.ts';
import { CONDITION_COLUMNS, type ConditionRow, openCondition } from './wait-condition.ts';

type On = Pick<Queries, 'read'>;

export async function readOpenActivities(on: On, ids: readonly string[]): Promise<Map<string, OpenActivity>> {
  const found = new Map<string, OpenActivity>();
  for (const chunk of chunks(ids)) {
    const list = inList(chunk);
    const rows = await on.read<OpenActivity>(
      `SELECT a.activity_id, a.state, a.agent_id, l.requires FROM runs_activities a
       LEFT JOIN runs_lanes l ON l.lane = a.lane
       WHERE a.activity_id IN ${list.placeholders} AND COALESCE(a.state, '') IN ('pending', 'claimed', 'parked')`,
      list.params,
    );
    for (const row of rows) found.set(row.activity_id, row);
  }
  return found;
}

export async function readEndedActivities(on: On, ids: readonly string[]): Promise<Map<string, EndedActivity>> {
  const found = new Map<string, EndedActivity>();
  for (const chunk of chunks(ids)) {
    const list = inList(chunk);
    const rows = await on.read<EndedActivity>(
      `SELECT activity_id, created_at, finished_at, error_code, SUBSTR(error_message, 1, 2000) AS error_message FROM runs_activities
       WHERE activity_id IN ${list.placeholders} AND finished_at IS NOT NULL`,
      list.params,
    );
    for (const row of rows) found.set(row.activity_id, row);
  }
  return found;
}

/** The org's keys must be ready. */
export async function readOpenWaits(
  on: On,
  sealer: Sealer,
  run: ActivityScope,
  ids: readonly string[],
): Promise<Map<string, OpenWait>> {
  const found = new Map<string, OpenWait>();
  for (const chunk of chunks(ids)) {
    const list = inList(chunk);
    const rows = await on.read<Omit<OpenWait, 'condition'> & ConditionRow>(
      `SELECT w.substate, w.name, w.armed_at, w.deadline, c.called_id, ${CONDITION_COLUMNS} FROM runs_waits w
       LEFT JOIN runs_calls c ON c.run_id = w.run_id AND c.activity_id = w.activity_id AND c.position = w.position
       WHERE w.run_id = ? AND w.activity_id IN ${list.placeholders} AND COALESCE(w.state, '') = 'armed'`,
      [run.run_id, ...list.params],
    );
    for (const { position, condition_args, ...wait } of rows) {
      const { activity_id } = wait;
      const condition = openCondition(sealer, run, { activity_id, position, condition_args });
      found.set(activity_id, { ...wait, condition });
    }
  }
  return found;
}
