import type { Log, Transaction } from '../../../kernel/contracts/index.ts';
import type { Judgement, PredicateJudge, StoredEvent } from '../contract.ts';
import { MAX_SHOWN, noteDeclined, noteOthers } from '../store/deliveries.ts';
import { firePredicate, predicatesFor } from '../store/waits.ts';

/**
 * Fires the waits whose predicates accept an event, and records the declining ones, which go on waiting. Waits share
 * predicates, and a predicate sees only the event, so each is judged once.
 */
export async function firePredicates(
  tx: Transaction,
  event: StoredEvent,
  parts: { judge: PredicateJudge; log: Log },
): Promise<number> {
  const predicates = await predicatesFor(tx, event);
  const judgements = parts.judge.judge(
    event,
    predicates.map(({ source }) => source),
  );
  let fired = 0;
  let room = MAX_SHOWN;
  let others = 0;
  for (const predicate of predicates) {
    const reason = declines(parts, event, judgements.get(predicate.source)!);
    if (reason === undefined) {
      fired += await firePredicate(tx, event, predicate.digest);
      continue;
    }
    await noteDeclined(tx, event, { digest: predicate.digest, reason }, room);
    others += Math.max(0, predicate.count - room);
    room = Math.max(0, room - predicate.count);
  }
  await noteOthers(tx, event, others);
  return fired;
}

/** Why a predicate does not accept an event, or undefined. One that could not be judged declines, and is logged. */
function declines({ log }: { log: Log }, event: StoredEvent, judgement: Judgement): string | undefined {
  if (judgement.ok) return judgement.value ? undefined : 'the predicate is false';
  const { event_id, project_id } = event;
  log.warn({ event_id, project_id, reason: judgement.reason }, 'evaluating the predicate of a wait failed');
  return judgement.reason;
}
