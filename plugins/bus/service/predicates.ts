import { type Expressions, type Log, type Transaction, turn } from '../../../kernel/contracts/index.ts';
import { envelopeOf, type StoredEvent } from '../contract.ts';
import { MOST_SHOWN, noteDeclined, noteOthers } from '../store/deliveries.ts';
import { firePredicate, type Predicate, predicatesFor } from '../store/waits.ts';

/** What a wait's predicate may name. */
export const ROOTS = ['event'] as const;
/** After so many the event loop gets a turn: on a payload of 100,000 members one takes up to 60 ms. */
const AT_ONCE = 3;

/**
 * Fires the waits whose predicates take an event, and notes those that decline it: they go on waiting. Waits share
 * predicates, and a predicate sees nothing but the event, so each is asked once, however many waits have it.
 */
export async function firePredicates(
  tx: Transaction,
  event: StoredEvent,
  parts: { expressions: Expressions; log: Log },
): Promise<number> {
  const predicates = await predicatesFor(tx, event);
  const scope = { event: envelopeOf(event) };
  let fired = 0;
  let room = MOST_SHOWN;
  let others = 0;
  for (const [index, predicate] of predicates.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await turn();
    const reason = declines(parts, event, predicate, scope);
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

/** Why a predicate does not take an event, or undefined. What cannot be evaluated declines, and is logged. */
function declines(
  { expressions, log }: { expressions: Expressions; log: Log },
  event: StoredEvent,
  predicate: Predicate,
  scope: Record<string, unknown>,
): string | undefined {
  const answer = attempt(expressions, predicate.source, scope);
  if (answer.ok) return answer.value ? undefined : 'the predicate is false';
  const { event_id, project_id } = event;
  log.warn({ event_id, project_id, reason: answer.reason }, 'the predicate of a wait cannot be evaluated');
  return `the predicate cannot be evaluated: ${answer.reason}`;
}

function attempt(expressions: Expressions, source: string, scope: Record<string, unknown>) {
  try {
    return expressions.compile(source, ROOTS).test(scope);
  } catch (error) {
    // It compiled when the wait was armed: the service has changed since.
    return { ok: false as const, reason: error instanceof Error ? error.message : String(error) };
  }
}
