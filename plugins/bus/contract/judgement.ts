/** The names that predicates over events may use. */
export const PREDICATE_ROOTS = ['event'] as const;

/** What a predicate says about an event, or why it says nothing; the reason is for people. */
export type Judgement = { ok: true; value: boolean } | { ok: false; reason: string };

/** The judgement of an evaluation. */
export const judgementOf = (tested: Judgement): Judgement =>
  tested.ok
    ? { ok: true, value: tested.value }
    : { ok: false, reason: `the predicate cannot be evaluated: ${tested.reason}` };
