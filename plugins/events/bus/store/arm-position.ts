import type { Transaction } from '../../../../kernel/contracts/index.ts';
import { lastSeq } from './heads.ts';
import { readSkips } from './outbox.ts';
import { lockTypes } from './types.ts';

/**
 * Fixes the position on a project's bus at which something is armed for these types. No event of these types is
 * recorded until the transaction ends; others are. Returns the last sequence number, and for each type the ids of
 * events that have no number yet.
 */
export async function lockArmPosition(
  tx: Transaction,
  project_id: string,
  types: readonly string[],
): Promise<{ seq: number; skips: ReadonlyMap<string, string> }> {
  await lockTypes(tx, project_id, types);
  return { seq: await lastSeq(tx, project_id), skips: await readSkips(tx, project_id, types) };
}
