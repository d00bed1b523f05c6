import { chunks, inList, type Queries, type Transaction } from '../../../kernel/contracts/index.ts';
import type { WaitRef } from '../../runs/contract.ts';
import { nameKey } from '../domain/child-call.ts';

export interface Child {
  parent_id: string;
  name_key: string;
  run_id: string;
  activity_id: string;
  name: string;
  position: number;
  /** Null until it has ended. */
  exit_code: number | null;
  /** Null until its outcome was reported to its parent. */
  reported_at: number | null;
}

const READ = `SELECT parent_id, name_key, run_id, activity_id, name, position, exit_code, reported_at
  FROM children_children`;

/** Marks a wait for all unreported children. */
export const ALL = '';

export async function childNamed(
  on: Pick<Queries, 'read'>,
  parent_id: string,
  name: string,
): Promise<Child | undefined> {
  const [child] = await on.read<Child>(`${READ} WHERE parent_id = ? AND name_key = ?`, [parent_id, nameKey(name)]);
  return child;
}

export async function childOf(on: Pick<Queries, 'read'>, activity_id: string): Promise<Child | undefined> {
  const [child] = await on.read<Child>(`${READ} WHERE activity_id = ?`, [activity_id]);
  return child;
}

/** Children without a report, in the order of their submission. */
export function unreported(on: Pick<Queries, 'read'>, parent_id: string): Promise<Child[]> {
  return on.read<Child>(`${READ} WHERE parent_id = ? AND reported_at IS NULL ORDER BY position`, [parent_id]);
}

/** True when one of them has not ended. */
export async function someOpen(on: Pick<Queries, 'read'>, parent_id: string): Promise<boolean> {
  const rows = await on.read(
    'SELECT 1 AS found FROM children_children WHERE parent_id = ? AND reported_at IS NULL AND exit_code IS NULL LIMIT 1',
    [parent_id],
  );
  return rows.length > 0;
}

/** The same of runs. */
export async function unreportedOfRuns(on: Pick<Queries, 'read'>, run_ids: readonly string[]): Promise<Child[]> {
  const found: Child[] = [];
  for (const some of chunks(run_ids)) {
    const list = inList(some);
    const where = `run_id IN ${list.marks} AND reported_at IS NULL`;
    found.push(...(await on.read<Child>(`${READ} WHERE ${where} ORDER BY run_id, parent_id, position`, list.params)));
  }
  return found;
}

export function childrenOf(on: Pick<Queries, 'read'>, parent_id: string): Promise<Child[]> {
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

export async function setEnded(tx: Transaction, activity_id: string, exit_code: number): Promise<void> {
  await tx.write('UPDATE children_children SET exit_code = ? WHERE activity_id = ?', [exit_code, activity_id]);
}

export async function setReported(tx: Transaction, children: readonly Child[], now: number): Promise<void> {
  for (const { activity_id, reported_at } of children)
    if (reported_at === null)
      await tx.write('UPDATE children_children SET reported_at = ? WHERE activity_id = ?', [now, activity_id]);
}

export async function setAllReported(tx: Transaction, parent_id: string, now: number): Promise<void> {
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

export async function waitOf(
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
