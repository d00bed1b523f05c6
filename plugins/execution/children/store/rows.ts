import { chunks, inList, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { WaitRef } from '../../../engine/runs/contract.ts';
import { nameKey } from '../domain/child-call.ts';

export interface Child {
  parent_id: string;
  name_key: string;
  run_id: string;
  activity_id: string;
  name: string;
  position: number;
  /** Null until the child has ended. */
  exit_code: number | null;
  /** Null until the outcome was reported to the parent. */
  reported_at: number | null;
}

const READ = `SELECT parent_id, name_key, run_id, activity_id, name, position, exit_code, reported_at
  FROM children_children`;

/** The name_key of a wait for all unreported children. */
export const ALL_CHILDREN = '';

export async function findChildByName(
  on: Pick<Queries, 'read'>,
  parent_id: string,
  name: string,
): Promise<Child | undefined> {
  const [child] = await on.read<Child>(`${READ} WHERE parent_id = ? AND name_key = ?`, [parent_id, nameKey(name)]);
  return child;
}

export async function findChild(on: Pick<Queries, 'read'>, activity_id: string): Promise<Child | undefined> {
  const [child] = await on.read<Child>(`${READ} WHERE activity_id = ?`, [activity_id]);
  return child;
}

/** Reads the children whose outcome was not reported, in the order of their submission. */
export function readUnreported(on: Pick<Queries, 'read'>, parent_id: string): Promise<Child[]> {
  return on.read<Child>(`${READ} WHERE parent_id = ? AND reported_at IS NULL ORDER BY position`, [parent_id]);
}

/** Returns true when an unreported child has not ended. */
export async function hasUnfinished(on: Pick<Queries, 'read'>, parent_id: string): Promise<boolean> {
  const rows = await on.read(
    'SELECT 1 AS found FROM children_children WHERE parent_id = ? AND reported_at IS NULL AND exit_code IS NULL LIMIT 1',
    [parent_id],
  );
  return rows.length > 0;
}

/** Reads the unreported children of several runs. */
export async function readUnreportedOfRuns(on: Pick<Queries, 'read'>, run_ids: readonly string[]): Promise<Child[]> {
  const children: Child[] = [];
  for (const chunk of chunks(run_ids)) {
    const list = inList(chunk);
    const where = `run_id IN ${list.placeholders} AND reported_at IS NULL`;
    children.push(
      ...(await on.read<Child>(`${READ} WHERE ${where} ORDER BY run_id, parent_id, position`, list.params)),
    );
  }
  return children;
}

export function readChildren(on: Pick<Queries, 'read'>, parent_id: string): Promise<Child[]> {
  return on.read<Child>(`${READ} WHERE parent_id = ? ORDER BY position`, [parent_id]);
}

export async function insertChild(tx: Transaction, child: Omit<Child, 'name_key'>): Promise<void> {
  await tx.write(
    `INSERT INTO children_children (parent_id, name_key, run_id, activity_id, name, position, exit_code, reported_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      child.parent_id,
      nameKey(child.name),
      child.run_id,
      child.activity_id,
      child.name,
      child.position,
      child.exit_code,
      child.reported_at,
    ],
  );
}

export async function markEnded(tx: Transaction, activity_id: string, exit_code: number): Promise<void> {
  await tx.write('UPDATE children_children SET exit_code = ? WHERE activity_id = ?', [exit_code, activity_id]);
}

export async function markReported(tx: Transaction, children: readonly Child[], now: number): Promise<void> {
  for (const { activity_id, reported_at } of children)
    if (reported_at === null)
      await tx.write('UPDATE children_children SET reported_at = ? WHERE activity_id = ?', [now, activity_id]);
}

export async function markAllReported(tx: Transaction, parent_id: string, now: number): Promise<void> {
  await tx.write('UPDATE children_children SET reported_at = ? WHERE parent_id = ? AND reported_at IS NULL', [
    now,
    parent_id,
  ]);
}

export async function insertWait(tx: Transaction, wait: WaitRef, name_key: string): Promise<void> {
  await tx.write('INSERT INTO children_waits (parent_id, run_id, position, name_key) VALUES (?, ?, ?, ?)', [
    wait.activity_id,
    wait.run_id,
    wait.position,
    name_key,
  ]);
}

export async function findWait(
  on: Pick<Queries, 'read'>,
  parent_id: string,
): Promise<(WaitRef & { name_key: string }) | undefined> {
  const [wait] = await on.read<WaitRef & { name_key: string }>(
    'SELECT run_id, parent_id AS activity_id, position, name_key FROM children_waits WHERE parent_id = ?',
    [parent_id],
  );
  return wait;
}

export async function removeWait(tx: Transaction, wait: WaitRef): Promise<void> {
  await tx.write('DELETE FROM children_waits WHERE parent_id = ? AND position = ?', [wait.activity_id, wait.position]);
}
