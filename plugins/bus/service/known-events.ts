import type { BatchOutcome, Transaction } from '../../../kernel/contracts/index.ts';
import type { EmitResult, ProjectScope } from '../contract.ts';
import { digests } from '../domain/event-rules.ts';
import { findDoubles, findRecorded } from '../store/event-rows.ts';
import type { Recording } from './recording.ts';

export type Outcomes = Map<Recording, BatchOutcome<EmitResult>>;

export const resultOf = ({ event }: Recording, duplicate: boolean): EmitResult => ({
  event_id: event.event_id,
  type: event.type,
  duplicate,
});

/** Answers events that are recorded already: by their deduplication key, or because the answer to a commit was lost. */
export async function answerKnown(
  tx: Transaction,
  { project_id }: ProjectScope,
  own: readonly Recording[],
  outcomes: Outcomes,
): Promise<void> {
  const again = own.filter(({ attempted }) => attempted).map(({ event }) => event.event_id);
  const recorded = await findRecorded(tx, project_id, again);
  const doubles = await findDoubles(tx, project_id, [...new Set(own.flatMap(dedupOf))]);
  for (const recording of own) {
    if (recorded.has(recording.event.event_id)) {
      outcomes.set(recording, { ok: resultOf(recording, false) });
      continue;
    }
    const first = dedupOf(recording).map((digest) => doubles.get(digest))[0];
    if (first) outcomes.set(recording, { ok: { event_id: first.event_id, type: first.type, duplicate: true } });
  }
}

const dedupOf = ({ event }: Recording): string[] => (event.dedup === undefined ? [] : [digests.dedup(event.dedup)]);

/** Of several events with one deduplication key in a batch, the first is recorded. */
export function firstsOf(fresh: readonly Recording[]): Recording[] {
  const seen = new Set<string>();
  return fresh.filter(({ event: { dedup } }) => {
    if (dedup === undefined) return true;
    const first = !seen.has(dedup);
    seen.add(dedup);
    return first;
  });
}

/** The others get the first one's outcome. */
export function answerDoubles(fresh: readonly Recording[], firsts: readonly Recording[], outcomes: Outcomes): void {
  for (const recording of fresh) {
    if (outcomes.has(recording)) continue;
    const first = firsts.find(({ event }) => event.dedup === recording.event.dedup)!;
    const outcome = outcomes.get(first)!;
    outcomes.set(recording, 'ok' in outcome ? { ok: { ...outcome.ok, duplicate: true } } : outcome);
  }
}
