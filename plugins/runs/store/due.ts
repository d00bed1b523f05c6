import { distinct, isServiceError, type Transaction } from '../../../kernel/contracts/index.ts';
import type { WaitOutcome, WaitRef } from '../contract.ts';
import type { StoreParts } from './parts.ts';
import { resolveWaits } from './resolve.ts';
import { callOf, WAITS_AT_ONCE, type WaitRow } from './wait-rows.ts';

/** Expires waits whose deadline has passed by the database's clock. Answers how many, and the next deadline. */
export async function resolveDue(store: StoreParts, limit: number): Promise<{ resolved: number; next: number | null }> {
  const most = Math.max(1, Math.min(Math.trunc(limit), WAITS_AT_ONCE));
  const due = await store.database.read<WaitRef & { org_id: string }>(
    `SELECT run_id, activity_id, position, org_id FROM runs_waits WHERE state = 'armed' AND deadline <= ?
     ORDER BY deadline LIMIT ${most}`,
    [store.database.now()],
  );
  const resolved = due.length === 0 ? 0 : await endDue(store, due);
  const [next] = await store.database.read<{ deadline: number }>(
    `SELECT deadline FROM runs_waits WHERE state = 'armed' AND deadline IS NOT NULL ORDER BY deadline LIMIT 1`,
  );
  return { resolved, next: next?.deadline ?? null };
}

async function endDue(store: StoreParts, due: readonly (WaitRef & { org_id: string })[]): Promise<number> {
  for (const org_id of distinct(due, (wait) => wait.org_id)) await store.sealer.prepare(org_id);
  const ended = await store.database.transaction((tx) =>
    resolveWaits(tx, store, due, { state: 'expired', outcome: (wait) => expiry(tx, store, wait) }),
  );
  return ended.length;
}

/** A wait whose kind is gone or fails must not block the timers of all others. */
async function expiry(tx: Transaction, store: StoreParts, wait: WaitRow): Promise<WaitOutcome> {
  const kind = store.wait_kinds.get(wait.kind);
  const failed = (message: string) => ({ exit_code: 1, output: Buffer.alloc(0), message });
  if (!kind) return failed(`no loaded plugin knows the wait ${wait.kind}`);
  const { org_id, project_id, run_id, activity_id, position, name, armed_at } = wait;
  try {
    const { args } = callOf(store.sealer, wait);
    const expired = { org_id, project_id, run_id, activity_id, position, name, args, armed_at };
    return (await kind.late?.(tx, expired)) ?? (await kind.expire(expired, tx));
  } catch (error) {
    // A database fault ends the whole transaction; it is tried again.
    if (isServiceError(error) && error.status >= 500) throw error;
    return failed(`the end of the wait ${wait.kind} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
