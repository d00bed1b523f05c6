import type { Log, Transaction } from '../../../../kernel/contracts/index.ts';
import type { PredicateResult, PredicateEvaluator, StoredEvent } from '../contract.ts';
import { MAX_SHOWN, insertDeclined, insertOtherCount } from '../store/deliveries.ts';
import { matchPredicate, listPredicates } from '../store/waits.ts';

/**
 * Matches the waits whose predicates accept an event, and records the waits that declined and go on waiting. Waits
 * share predicates, and a predicate sees only the event, so each is evaluated once.
 */
export async function matchPredicates(
  tx: Transaction,
  event: StoredEvent,
  parts: { evaluator: PredicateEvaluator; log: Log },
): Promise<number> {
  const predicates = await listPredicates(tx, event);
  const results = parts.evaluator.evaluate(
    event,
    predicates.map(({ source }) => source),
  );
  let matched_count = 0;
  let remaining_rows = MAX_SHOWN;
  let other_count = 0;
  for (const predicate of predicates) {
    const reason = declineReason(parts, event, results.get(predicate.source)!);
    if (reason === undefined) {
      matched_count += await matchPredicate(tx, event, predicate.digest);
      continue;
    }
    await insertDeclined(tx, event, { digest: predicate.digest, reason }, remaining_rows);
    other_count += Math.max(0, predicate.count - remaining_rows);
    remaining_rows = Math.max(0, remaining_rows - predicate.count);
  }
  await insertOtherCount(tx, event, other_count);
  return matched_count;
}

/**
 * Returns why a predicate declines an event, or undefined if it accepts it. A predicate that cannot be evaluated
 * declines, and is logged.
 */
function declineReason({ log }: { log: Log }, event: StoredEvent, result: PredicateResult): string | undefined {
  if (result.ok) return result.value ? undefined : 'the predicate is false';
  const { event_id, project_id } = event;
  log.warn({ event_id, project_id, reason: result.reason }, 'evaluating the predicate of a wait failed');
  return result.reason;
}
