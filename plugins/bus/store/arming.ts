import type { Transaction } from '../../../kernel/contracts/index.ts';
import { lastSeq } from './heads.ts';
import { skipsOf } from './outbox.ts';
import { lockTypes } from './types.ts';

/**
 * The place on a project's bus at which something is armed for these types. Until the transaction ends no event of them
 * is recorded; events of other types go on. Answers the last number, and by type the events that have none yet.
 */
export async function armAt(
  tx: Transaction,
  project_id: string,
  types: readonly string[],
): Promise<{ seq: number; skips: ReadonlyMap<string, string> }> {
  await lockTypes(tx, project_id, types);
  return { seq: await lastSeq(tx, project_id), skips: await skipsOf(tx, project_id, types) };
}
