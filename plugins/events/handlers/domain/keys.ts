import type { EvaluationResult, Expressions } from '../../../../kernel/contracts/index.ts';
import { envelopeOf, type PendingEvent, PREDICATE_ROOTS } from '../../bus/contract.ts';

const MAX_KEY_LENGTH = 255;

/** Returns the value of an option's key for an event, or why it has none. Without a key, the value is ''. */
export function computeKey(
  expressions: Pick<Expressions, 'compile'>,
  option: string,
  key: string | undefined,
  event: PendingEvent,
): { value: string } | { reason: string } {
  if (key === undefined) return { value: '' };
  const result = evaluate(expressions, key, event);
  if (!result.ok) return { reason: `the ${option} key could not be evaluated: ${result.reason}` };
  const { value } = result;
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value))
    return { reason: `the ${option} key is not a string, a number or a boolean` };
  const text = String(value);
  if (text.length <= MAX_KEY_LENGTH && text.isWellFormed()) return { value: text };
  return { reason: `the ${option} key has more than ${MAX_KEY_LENGTH} characters` };
}

export function evaluate(
  expressions: Pick<Expressions, 'compile'>,
  source: string,
  event: PendingEvent,
): EvaluationResult {
  try {
    return expressions.compile(source, PREDICATE_ROOTS).evaluate({ event: envelopeOf(event) });
  } catch (error) {
    // It compiled when the handler was registered, but the service may have changed since.
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Names a key in a reason. */
export const forKey = (key: string): string => (key === '' ? '' : ` for the key ${JSON.stringify(key)}`);
