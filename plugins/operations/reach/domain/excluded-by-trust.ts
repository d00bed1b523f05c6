/**
 * True for a predicate that surely declines an event because of its trust: one of the conditions that it joins with `&&` is
 * `event.trusted`, or `!event.trusted`. Every other predicate may accept it.
 */
export function isExcludedByTrust(when: string | undefined, trusted: boolean): boolean {
  // Texts, comments, lists and maps may contain what looks like a condition.
  if (when === undefined || /\|\||\/\/|[?'"`[\]{}]/.test(when)) return false;
  const declines = trusted ? '!event.trusted' : 'event.trusted';
  const conditions = when.split('&&').map((condition) => condition.trim());
  return conditions.every(isBalanced) && conditions.includes(declines);
}

/** A condition within brackets may be negated. */
const isBalanced = (condition: string): boolean =>
  condition.split('(').length === condition.split(')').length && !/^[^(]*\)/.test(condition);
