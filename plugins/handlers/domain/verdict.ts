import type { Judgement, PendingEvent } from '../../bus/contract.ts';
import { depthReason, tooDeep } from './ceilings.ts';

/** The reason for refusing an untrusted event to a handler with credentials. */
const UNTRUSTED = 'untrusted_run_declares_credential';

/** The part of a handler that decides whether an event starts it. */
export interface Judged {
  predicate: string | null;
  /** Variables that get credentials. */
  declares: readonly string[];
}

export type Verdict =
  | { outcome: 'start' }
  | { outcome: 'declined'; reason: string /** The predicate could not be evaluated. */; failed?: true }
  | { outcome: 'refused'; reason: string; code: 'untrusted_run_declares_credential' | 'chain_too_deep' };

/**
 * The decision for an event and a handler whose patterns match it, without the limit on parallel runs. `ask` answers its
 * predicate.
 */
export function judge(ask: (predicate: string) => Judgement, handler: Judged, event: PendingEvent): Verdict {
  const answer = handler.predicate === null ? undefined : ask(handler.predicate);
  if (answer?.ok === false) return { outcome: 'declined', failed: true, reason: answer.reason };
  if (answer?.value === false) return { outcome: 'declined', reason: 'the predicate is false' };
  if (!event.trusted && handler.declares.length > 0) {
    const variables = handler.declares.join(', ');
    const reason = `${UNTRUSTED}: the event is not trusted, and the handler declares credentials for ${variables}`;
    return { outcome: 'refused', code: UNTRUSTED, reason };
  }
  if (tooDeep(event.generation))
    return { outcome: 'refused', code: 'chain_too_deep', reason: `chain_too_deep: ${depthReason(event.generation)}` };
  return { outcome: 'start' };
}
