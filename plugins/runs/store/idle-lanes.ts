import { type Database, inList, type Transaction } from '../../../kernel/contracts/index.ts';

/**
 * A lane that was not used for so long is removed, unless something stands in it. Far longer than a process trusts a lane
 * that it knows (`KnownLanes`) and than any transaction lasts, so that nothing is ever put into a lane that is gone.
 */
export const IDLE_MS = 60 * 60_000;

/**
 * Removes lanes that nobody uses: otherwise each requirement that anybody ever named would stay for ever. Those in which
 * something stands count as used. Answers how many lanes were looked at.
 */
export async function removeIdleLanes(
  database: Pick<Database, 'now' | 'read' | 'transaction'>,
  limit: number,
): Promise<number> {
  const most = Math.max(1, Math.min(Math.trunc(limit), 1000));
  const now = database.now();
  const unused = await database.read<{ lane: string }>(
    `SELECT lane FROM runs_lanes WHERE used_at < ? ORDER BY used_at LIMIT ${most}`,
    [now - IDLE_MS],
  );
  if (unused.length === 0) return 0;
  const lanes = unused.map(({ lane }) => lane);
  await database.transaction(async (tx) => {
    const held = await heldOf(tx, lanes);
    if (held.size > 0) {
      const list = inList([...held]);
      await tx.write(`UPDATE runs_lanes SET used_at = ? WHERE lane IN ${list.marks}`, [now, ...list.params]);
    }
    const idle = lanes.filter((lane) => !held.has(lane));
    if (idle.length === 0) return;
    const list = inList(idle);
    await tx.write(`DELETE FROM runs_lanes WHERE lane IN ${list.marks} AND used_at < ?`, [
      ...list.params,
      now - IDLE_MS,
    ]);
  });
  return unused.length;
}

/** Those in which an activity waits, runs or is parked. */
async function heldOf(tx: Transaction, lanes: readonly string[]): Promise<Set<string>> {
  const list = inList(lanes);
  const standing = (state: string) =>
    `EXISTS (SELECT 1 FROM runs_activities a WHERE a.state = '${state}' AND a.lane = l.lane)`;
  const [waiting, claimed] = [
    await tx.read<{ lane: string }>(
      `SELECT l.lane FROM runs_lanes l WHERE l.lane IN ${list.marks} AND (${standing('pending')} OR ${standing('parked')})`,
      list.params,
    ),
    // What is claimed fills slots, so there is little of it; SQLite has no index of it by lane.
    await tx.read<{ lane: string }>(
      `SELECT DISTINCT lane FROM runs_activities WHERE state = 'claimed' AND lane IN ${list.marks}`,
      list.params,
    ),
  ];
  return new Set([...waiting, ...claimed].map(({ lane }) => lane));
}
