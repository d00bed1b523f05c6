import type { EvaluationResult } from '../../../../kernel/contracts/index.ts';

const MAX_KEY_LENGTH = 255;

/** Returns the value of an expression for the event at hand. */
export type Evaluate = (source: string) => EvaluationResult;

/** Returns the value of an option's key for an event, or why it has none. Without a key, the value is ''. */
export function computeKey(
  evaluate: Evaluate,
  option: string,
  key: string | undefined,
): { value: string } | { reason: string } {
  if (key === undefined) return { value: '' };
  const result = evaluate(key);
  if (!result.ok) return { reason: `the ${option} key could not be evaluated: ${result.reason}` };
  const { value } = result;
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value))
    return { reason: `the ${option} key is not a string, a number or a boolean` };
  const text = String(value);
  if (text.length <= MAX_KEY_LENGTH && text.isWellFormed()) return { value: text };
  return { reason: `the ${option} key has more than ${MAX_KEY_LENGTH} characters` };
}

/** Names a key in a reason. */
export const forKey = (key: string): string => (key === '' ? '' : ` for the key ${JSON.stringify(key)}`);
