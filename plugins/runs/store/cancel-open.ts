import { inList, chunks, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ClaimRef } from '../contract.ts';
import { ACTIVITY } from './activity-rows.ts';
import type { StoreParts } from './parts.ts';
import type { EndedWait } from './tell-kinds.ts';

const OPEN = `('pending', 'claimed', 'parked')`;
const NONE: ReadonlySet<string> = new Set();

interface Cancelling {
  run_id: string;
  /** Absent: every open activity of the run. */
  activity_ids?: readonly string[];
  /** The reason for agents that work on them. */
  reason: string;
}

/**
 * Open activities → cancelled, with their children and their waits, which are answered. The run must be locked. Reads
 * and writes only rows of these activities.
 */
export async function cancelOpen(
  tx: Transaction,
  store: Pick<StoreParts, 'database' | 'wakeups' | 'spans'>,
  cancelling: Cancelling,
): Promise<EndedWait[]> {
  const { run_id, activity_ids, reason } = cancelling;
  if (activity_ids === undefined) return cancelSome(tx, store, cancelling, `run_id = ? AND state IN ${OPEN}`, [run_id]);
  const ended: EndedWait[] = [];
  for (const ids of chunks(activity_ids)) {
    const list = inList(ids);
    // Not `state IN`: that would scan every open activity of the run.
    const open = `activity_id IN ${list.marks} AND COALESCE(state, '') IN ${OPEN}`;
    ended.push(...(await cancelSome(tx, store, cancelling, open, list.params)));
    const children = (await openChildren(tx, ids)).map(({ activity_id }) => activity_id);
    if (children.length > 0) ended.push(...(await cancelOpen(tx, store, { run_id, activity_ids: children, reason })));
  }
  return ended;
}

/** Locks the open activities of runs, at most 128, in the order of their ids, as whoever works on several does. */
export async function lockOpen(tx: Transaction, run_ids: readonly string[]): Promise<void> {
  if (run_ids.length === 0) return;
  const list = inList(run_ids);
  const where = `run_id IN ${list.marks} AND state IN ${OPEN}`;
  await tx.lock({ ...ACTIVITY, columns: 'activity_id', where, params: list.params });
}

/** Which of these activities, at most 128, have children that are open. */
export async function withOpenChildren(
  tx: Pick<Transaction, 'read'>,
  activity_ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (activity_ids.length === 0) return NONE;
  return new Set((await openChildren(tx, activity_ids)).map(({ parent }) => parent));
}

function openChildren(tx: Pick<Transaction, 'read'>, activity_ids: readonly string[]) {
  const list = inList(activity_ids);
  return tx.read<{ activity_id: string; parent: string }>(
    `SELECT activity_id, parent FROM runs_activities WHERE parent IN ${list.marks} AND COALESCE(state, '') IN ${OPEN}`,
    list.params,
  );
}

async function cancelSome(
  tx: Transaction,
  store: Pick<StoreParts, 'database' | 'wakeups' | 'spans'>,
  { run_id, reason }: Cancelling,
  which: string,
  params: string[],
): Promise<EndedWait[]> {
  const open = await tx.lock<ClaimRef & { agent_id: string | null; state: string }>({
    ...ACTIVITY,
    columns: 'activity_id, epoch, agent_id, state',
    where: which,
    params,
  });
  if (open.length === 0) return [];
  const now = store.database.now();
  await tx.write(
    `UPDATE runs_activities SET state = 'cancelled', deadline = NULL, agent_id = NULL, finished_at = ? WHERE ${which}`,
    [now, ...params],
  );
  tx.settled(
    ACTIVITY.table,
    open.map(({ activity_id }) => [activity_id]),
  );
  for (const { activity_id, state } of open)
    store.spans?.activitiesEnded(tx, [activity_id], state === 'claimed' ? 'cancelled' : undefined);
  tx.afterCommit(() => {
    for (const { activity_id, epoch, agent_id } of open)
      if (agent_id !== null) store.wakeups.revoked({ activity_id, epoch, agent_id, reason });
  });
  const ended: EndedWait[] = [];
  const parked = open.filter(({ state }) => state === 'parked').map(({ activity_id }) => activity_id);
  for (const ids of chunks(parked)) ended.push(...(await cancelWaits(tx, run_id, ids, now)));
  return ended;
}

async function cancelWaits(
  tx: Transaction,
  run_id: string,
  activity_ids: readonly string[],
  now: number,
): Promise<EndedWait[]> {
  const list = inList(activity_ids);
  const armed = `run_id = ? AND activity_id IN ${list.marks} AND COALESCE(state, '') = 'armed'`;
  const waits = await tx.read<EndedWait>(`SELECT run_id, activity_id, position, kind FROM runs_waits WHERE ${armed}`, [
    run_id,
    ...list.params,
  ]);
  await tx.write(`UPDATE runs_waits SET state = 'cancelled', ended_at = ? WHERE ${armed}`, [
    now,
    run_id,
    ...list.params,
  ]);
  return waits;
}
