import { inList, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ExpiredWait } from '../../runs/contract.ts';
import type { NearMiss } from '../domain/near-misses.ts';
import { madeAt } from '../domain/ulid-time.ts';
import { lockWait } from './waits.ts';

const MAX_AT_ONCE = 5;

interface Candidate {
  event_id: string;
  seq: number;
  event_key: string | null;
  recorded_at: number;
}

/** The latest events of the awaited type since the run was created, and why each did not end the wait. */
export async function nearMisses(tx: Transaction, wait: ExpiredWait): Promise<NearMiss[]> {
  const rows = await tx.read<Candidate>(
    `SELECT event_id, seq, event_key, recorded_at FROM bus_events WHERE project_id = ? AND type = ?
     ORDER BY seq DESC LIMIT ${MAX_AT_ONCE}`,
    [wait.project_id, wait.name],
  );
  const since = madeAt(wait.run_id);
  const candidates = rows.filter(({ recorded_at }) => Number(recorded_at) >= since).reverse();
  if (candidates.length === 0) return [];
  const armed = await lockWait(tx, wait);
  const reasons = await declined(tx, wait, candidates);
  return candidates.map(({ event_id, seq, event_key, recorded_at }) => {
    const before = armed === undefined || Number(seq) <= Number(armed.armed_seq);
    const narrowed = `its key ${JSON.stringify(event_key)} is not the subject of the run, ${JSON.stringify(armed?.subject)}`;
    const why = before ? 'it was recorded before the wait began' : (reasons.get(event_id) ?? narrowed);
    return { event_id, at: Number(recorded_at), why };
  });
}

/** Why the wait's predicate declined the events. */
async function declined(
  tx: Transaction,
  wait: ExpiredWait,
  candidates: readonly Candidate[],
): Promise<Map<string, string>> {
  const list = inList(candidates.map(({ event_id }) => event_id));
  const rows = await tx.read<{ event_id: string; reason: string | null }>(
    `SELECT event_id, reason FROM bus_deliveries
     WHERE event_id IN ${list.marks} AND reaction = 'wait' AND name_digest = ? AND part = ?`,
    [...list.params, wait.run_id, `${wait.activity_id}/${wait.position}`],
  );
  return new Map(rows.map(({ event_id, reason }) => [event_id, reason ?? 'its predicate was false or failed']));
}
