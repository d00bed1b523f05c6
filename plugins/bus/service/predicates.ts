import { type Expressions, type Log, type Transaction, yieldToEventLoop } from '../../../kernel/contracts/index.ts';
import { envelopeOf, type StoredEvent } from '../contract.ts';
import { MAX_SHOWN, noteDeclined, noteOthers } from '../store/deliveries.ts';
import { firePredicate, type Predicate, predicatesFor } from '../store/waits.ts';

/** The names that a wait's predicate may use. */
export const ROOTS = ['event'] as const;
/** Predicates between two turns of the event loop: on a payload of 100,000 members one takes up to 60 ms. */
const AT_ONCE = 3;

/**
 * Fires the waits whose predicates accept an event, and records the declining ones, which go on waiting. Waits share
 * predicates, and a predicate sees only the event, so each is evaluated once.
 */
export async function firePredicates(
  tx: Transaction,
  event: StoredEvent,
  parts: { expressions: Expressions; log: Log },
): Promise<number> {
  const predicates = await predicatesFor(tx, event);
  const scope = { event: envelopeOf(event) };
  let fired = 0;
  let room = MAX_SHOWN;
  let others = 0;
  for (const [index, predicate] of predicates.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await yieldToEventLoop();
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

/** Why a predicate does not accept an event, or undefined. One that cannot be evaluated declines, and is logged. */
function declines(
  { expressions, log }: { expressions: Expressions; log: Log },
  event: StoredEvent,
  predicate: Predicate,
  scope: Record<string, unknown>,
): string | undefined {
  const answer = attempt(expressions, predicate.source, scope);
  if (answer.ok) return answer.value ? undefined : 'the predicate is false';
  const { event_id, project_id } = event;
  log.warn({ event_id, project_id, reason: answer.reason }, 'evaluating the predicate of a wait failed');
  return `the predicate cannot be evaluated: ${answer.reason}`;
}

function attempt(expressions: Expressions, source: string, scope: Record<string, unknown>) {
  try {
    return expressions.compile(source, ROOTS).test(scope);
  } catch (error) {
    // It compiled when the wait was armed; the service has changed since.
    return { ok: false as const, reason: error instanceof Error ? error.message : String(error) };
  }
}
