import { inList, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { ExpiredWait } from '../../../engine/runs/contract.ts';
import { type EventSource, subjectMatches } from '../contract.ts';
import type { NearMiss } from '../domain/near-misses.ts';
import { idTimestamp } from '../domain/ulid-time.ts';
import { isFromUntrustedRun, UNTRUSTED, UNTRUSTED_MISS } from '../domain/untrusted.ts';
import { lockWait, type WaitRow } from './waits.ts';

const MAX_NEAR_MISSES = 5;

interface Candidate {
  event_id: string;
  seq: number;
  event_key: string | null;
  recorded_at: number;
  source: EventSource;
  trusted: number;
}

/** Returns the latest events of the awaited type since the run was created, and why each did not end the wait. */
export async function listNearMisses(tx: Transaction, wait: ExpiredWait): Promise<NearMiss[]> {
  const rows = await tx.read<Candidate>(
    `SELECT event_id, seq, event_key, recorded_at, source, trusted FROM bus_events WHERE project_id = ? AND type = ?
     ORDER BY seq DESC LIMIT ${MAX_NEAR_MISSES}`,
    [wait.project_id, wait.name],
  );
  const since = idTimestamp(wait.run_id);
  const candidates = rows.filter(({ recorded_at }) => Number(recorded_at) >= since).reverse();
  if (candidates.length === 0) return [];
  const armed = await lockWait(tx, wait);
  const reasons = await readDeclineReasons(tx, wait, candidates);
  return candidates.map((candidate) => {
    const { event_id, recorded_at } = candidate;
    return { event_id, at: Number(recorded_at), why: explainMiss(candidate, armed, reasons.get(event_id)) };
  });
}

function explainMiss(event: Candidate, armed: WaitRow | undefined, declined: string | undefined): string {
  if (armed === undefined || Number(event.seq) <= Number(armed.armed_seq))
    return 'it was recorded before the wait began';
  if (declined !== undefined) return declined === UNTRUSTED ? UNTRUSTED_MISS : declined;
  const { event_key, source, trusted } = event;
  if (!subjectMatches(armed.subject, event_key))
    return `its key ${JSON.stringify(event_key)} is not the subject of the run, ${JSON.stringify(armed.subject)}`;
  // Of thousands of waits, not every one has its own delivery recorded.
  const guarded = isFromUntrustedRun({ source, trusted: trusted === 1 }) && armed.takes_untrusted === null;
  return guarded ? UNTRUSTED_MISS : 'its predicate was false or failed, or it happened before the wait began';
}

/** Returns why the wait declined these events. */
async function readDeclineReasons(
  tx: Transaction,
  wait: ExpiredWait,
  candidates: readonly Candidate[],
): Promise<Map<string, string>> {
  const list = inList(candidates.map(({ event_id }) => event_id));
  const rows = await tx.read<{ event_id: string; reason: string | null }>(
    `SELECT event_id, reason FROM bus_deliveries
     WHERE event_id IN ${list.placeholders} AND reaction = 'wait' AND name_digest = ? AND part = ?`,
    [...list.params, wait.run_id, `${wait.activity_id}/${wait.position}`],
  );
  return new Map(rows.map(({ event_id, reason }) => [event_id, reason ?? 'its predicate was false or failed']));
}
