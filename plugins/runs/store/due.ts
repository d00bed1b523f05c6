import type { WaitOutcome } from '../contract.ts';
import { distinct } from './batches.ts';
import type { StoreParts } from './parts.ts';
import { resolveWaits } from './resolve.ts';
import { callOf, WAITS_AT_ONCE, type WaitRef, type WaitRow } from './wait-rows.ts';

/** Ends waits whose deadline passed by the database's clock; answers how many, and the next deadline. */
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
  const expire = (wait: WaitRow) => expiry(store, wait);
  const ended = await store.database.transaction((tx) =>
    resolveWaits(tx, store, due, { state: 'expired', outcome: expire }),
  );
  return ended.length;
}

/** A wait of a kind that is gone, or whose kind fails, must not keep the timers of all others from ending. */
function expiry(store: StoreParts, wait: WaitRow): WaitOutcome {
  const kind = store.wait_kinds.get(wait.kind);
  const failed = (message: string) => ({ exit_code: 1, output: Buffer.alloc(0), message });
  if (!kind) return failed(`no plugin knows the wait ${wait.kind} any more`);
  try {
    return kind.expire({ name: wait.name, args: callOf(wait).args });
  } catch (error) {
    return failed(`the end of the wait ${wait.kind} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
