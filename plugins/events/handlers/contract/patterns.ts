import type { Fault } from '../../../../kernel/contracts/index.ts';

/** Maximum patterns of one handler. */
export const MAX_PATTERNS = 32;
const PATTERN = /^(?:[A-Za-z0-9._-]{1,64}|[A-Za-z0-9._-]{0,63}\*)$/;

/**
 * Returns why a text is not a valid pattern, or undefined. A pattern is an event type, a prefix followed by `*`, or
 * `*` alone.
 */
export function validatePattern(pattern: string): string | undefined {
  if (PATTERN.test(pattern)) return undefined;
  if (pattern.includes(',')) return 'contains several patterns; write each one as its own element of the list';
  const stars = pattern.split('*').length - 1;
  if (stars > 1 || (stars === 1 && !pattern.endsWith('*'))) return 'can have only one *, at its end, like run.* or *';
  return 'must be an event type, a prefix with * at its end, or *: 1 to 64 characters from A-Z a-z 0-9 . _ -';
}

/** Returns the validation errors of a handler's patterns, each with its pointer. */
export function validatePatterns(patterns: readonly string[], pointer = '/on'): Fault[] {
  if (patterns.length === 0) return [{ pointer, message: 'must contain at least one event type' }];
  if (patterns.length > MAX_PATTERNS) return [{ pointer, message: `must have at most ${MAX_PATTERNS} patterns` }];
  return patterns.flatMap((pattern, index) => {
    const message = validatePattern(pattern);
    return message === undefined ? [] : [{ pointer: `${pointer}/${index}`, message }];
  });
}
