/** Generations of a chain: what handlers emit starts handlers at most so many times in a row (I12). */
export const MOST_GENERATIONS = 5;
/** Handler runs of a project that have not ended (I12). */
export const MOST_IN_FLIGHT = 16;
/** Of a project. */
export const MOST_HANDLERS = 2000;
/**
 * Bytes of the predicates of a project, all together. Whoever emits waits for those that fit to be compiled, which takes
 * 2 µs a byte where they are not remembered, and some 100 bytes of memory a byte where they are.
 */
export const MOST_PREDICATE_BYTES = 256 * 1024;

export const tooDeep = (generation: number): boolean => generation + 1 > MOST_GENERATIONS;

export const depthReason = (generation: number): string =>
  `a handler run would be of generation ${generation + 1}, and a chain has at most ${MOST_GENERATIONS}`;
