import type { BatchOutcome, Transaction } from '../../../../kernel/contracts/index.ts';
import type { EmitResult, ProjectScope } from '../contract.ts';
import { digests } from '../domain/event-rules.ts';
import { findByDedup, findRecorded } from '../store/event-rows.ts';
import type { Recording } from './recording.ts';

export type Outcomes = Map<Recording, BatchOutcome<EmitResult>>;

export const resultOf = ({ event }: Recording, duplicate: boolean): EmitResult => ({
  event_id: event.event_id,
  type: event.type,
  duplicate,
});

/**
 * Resolves events that are already recorded, either under their deduplication key or because the response to a commit
 * was lost.
 */
export async function resolveRecorded(
  tx: Transaction,
  { project_id }: ProjectScope,
  recordings: readonly Recording[],
  outcomes: Outcomes,
): Promise<void> {
  const attempted_ids = recordings.filter(({ attempted }) => attempted).map(({ event }) => event.event_id);
  const recorded = await findRecorded(tx, project_id, attempted_ids);
  const by_dedup = await findByDedup(tx, project_id, [...new Set(recordings.flatMap(dedupDigests))]);
  for (const recording of recordings) {
    if (recorded.has(recording.event.event_id)) {
      outcomes.set(recording, { ok: resultOf(recording, false) });
      continue;
    }
    const first = dedupDigests(recording).map((digest) => by_dedup.get(digest))[0];
    if (first) outcomes.set(recording, { ok: { event_id: first.event_id, type: first.type, duplicate: true } });
  }
}

const dedupDigests = ({ event }: Recording): string[] =>
  event.dedup === undefined ? [] : [digests.dedup(event.dedup)];

/** Of several events in a batch with the same deduplication key, only the first is recorded. */
export function withoutDuplicates(recordings: readonly Recording[]): Recording[] {
  const seen = new Set<string>();
  return recordings.filter(({ event: { dedup } }) => {
    if (dedup === undefined) return true;
    const first = !seen.has(dedup);
    seen.add(dedup);
    return first;
  });
}

/** Gives duplicates within the batch the outcome of the first. */
export function resolveDuplicates(
  recordings: readonly Recording[],
  firsts: readonly Recording[],
  outcomes: Outcomes,
): void {
  for (const recording of recordings) {
    if (outcomes.has(recording)) continue;
    const first = firsts.find(({ event }) => event.dedup === recording.event.dedup)!;
    const outcome = outcomes.get(first)!;
    outcomes.set(recording, 'ok' in outcome ? { ok: { ...outcome.ok, duplicate: true } } : outcome);
  }
}
