/** The variables that predicates over events may use. */
export const PREDICATE_ROOTS = ['event'] as const;

/** The result of a predicate for an event, or why it has none. The reason is written for people. */
export type PredicateResult = { ok: true; value: boolean } | { ok: false; reason: string };

/** Converts the result of an expression. */
export const toPredicateResult = (result: PredicateResult): PredicateResult =>
  result.ok
    ? { ok: true, value: result.value }
    : { ok: false, reason: `the predicate cannot be evaluated: ${result.reason}` };
