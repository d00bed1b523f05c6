import { inKeys, insertRows, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { WaitRef } from '../../../engine/runs/contract.ts';
import { queueOf } from '../domain/ask.ts';

const COLUMNS = ['run_id', 'activity_id', 'position', 'queue', 'armed_at'];
const KEY = ['run_id', 'activity_id', 'position'] as const;

export async function insertWait(tx: Transaction, wait: WaitRef, name: string, now: number): Promise<void> {
  await insertRows(tx, 'INSERT INTO asks_waits', COLUMNS, [
    [wait.run_id, wait.activity_id, wait.position, queueOf(name), now],
  ]);
}

/** The wait that has waited for this name longest. The run must be locked. */
export async function oldestWait(tx: Transaction, run_id: string, name: string): Promise<WaitRef | undefined> {
  const [wait] = await tx.read<WaitRef>(
    `SELECT run_id, activity_id, position FROM asks_waits WHERE run_id = ? AND queue = ?
     ORDER BY armed_at, activity_id, position LIMIT 1`,
    [run_id, queueOf(name)],
  );
  return wait;
}

export async function removeWaits(tx: Transaction, waits: readonly WaitRef[]): Promise<void> {
  if (waits.length === 0) return;
  const { condition, params } = inKeys(KEY, waits);
  await tx.write(`DELETE FROM asks_waits WHERE ${condition}`, params);
}
