import type { PredicateResult, PendingEvent } from '../../bus/contract.ts';
import { generationReason, exceedsMaxGenerations } from './ceilings.ts';

/** The reason for refusing an untrusted event to a handler with credentials. */
const UNTRUSTED_WITH_CREDENTIALS = 'untrusted_run_declares_credential';

/** What decides, of a handler, whether an event starts it. */
export interface HandlerConditions {
  predicate: string | null;
  /** The variables that receive credentials. */
  credential_variables: readonly string[];
}

export type HandlerDecision =
  | { outcome: 'start' }
  | { outcome: 'declined'; reason: string /** The predicate could not be evaluated. */; failed?: true }
  | { outcome: 'refused'; reason: string; code: 'untrusted_run_declares_credential' | 'chain_too_deep' };

/**
 * Decides what an event does to a handler whose patterns match it, apart from the limit on parallel runs. `ask`
 * evaluates the handler's predicate.
 */
export function decideHandler(
  evaluate: (predicate: string) => PredicateResult,
  handler: HandlerConditions,
  event: PendingEvent,
): HandlerDecision {
  const result = handler.predicate === null ? undefined : evaluate(handler.predicate);
  if (result?.ok === false) return { outcome: 'declined', failed: true, reason: result.reason };
  if (result?.value === false) return { outcome: 'declined', reason: 'the predicate is false' };
  if (!event.trusted && handler.credential_variables.length > 0) {
    const variables = handler.credential_variables.join(', ');
    const reason = `${UNTRUSTED_WITH_CREDENTIALS}: the event is not trusted, and the handler declares credentials for ${variables}`;
    return { outcome: 'refused', code: UNTRUSTED_WITH_CREDENTIALS, reason };
  }
  if (exceedsMaxGenerations(event.generation))
    return {
      outcome: 'refused',
      code: 'chain_too_deep',
      reason: `chain_too_deep: ${generationReason(event.generation)}`,
    };
  return { outcome: 'start' };
}
