import { envelopeOf, type PendingEvent } from '../../bus/contract.ts';
import type { Expressions } from '../../../kernel/contracts/index.ts';
import { depthReason, tooDeep } from './ceilings.ts';

/** What a predicate may name. */
export const ROOTS = ['event'] as const;

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

/** The decision for an event and a handler whose patterns match it, without the limit on parallel runs. */
export function judge(expressions: Expressions, handler: Judged, event: PendingEvent): Verdict {
  if (handler.predicate !== null) {
    const declined = decline(expressions, handler.predicate, event);
    if (declined) return declined;
  }
  if (!event.trusted && handler.declares.length > 0) {
    const variables = handler.declares.join(', ');
    const reason = `${UNTRUSTED}: the event is not trusted, and the handler declares credentials for ${variables}`;
    return { outcome: 'refused', code: UNTRUSTED, reason };
  }
  if (tooDeep(event.generation))
    return { outcome: 'refused', code: 'chain_too_deep', reason: `chain_too_deep: ${depthReason(event.generation)}` };
  return { outcome: 'start' };
}

function decline(expressions: Expressions, source: string, event: PendingEvent): Verdict | undefined {
  const answer = attempt(expressions, source, event);
  if (!answer.ok)
    return { outcome: 'declined', failed: true, reason: `the predicate cannot be evaluated: ${answer.reason}` };
  return answer.value ? undefined : { outcome: 'declined', reason: 'the predicate is false' };
}

function attempt(expressions: Expressions, source: string, event: PendingEvent) {
  try {
    return expressions.compile(source, ROOTS).test({ event: envelopeOf(event) });
  } catch (error) {
    // It compiled when the handler was registered; the service has changed since.
    return { ok: false as const, reason: error instanceof Error ? error.message : String(error) };
  }
}
