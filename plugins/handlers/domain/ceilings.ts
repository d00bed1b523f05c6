/** Maximum generations of a chain of handler runs (I12). */
export const MAX_GENERATIONS = 5;
/** Maximum unfinished handler runs of a project (I12). */
export const MAX_IN_FLIGHT = 16;
/** Of these, at most so many are of runs that are not trusted: a stranger must not take all places. */
export const MAX_UNTRUSTED = 4;
/** When to try again. */
export const RETRY_MS = 1000;
/** Of a project. */
export const MAX_HANDLERS = 2000;
/**
 * Maximum bytes of all predicates of a project. An emit waits until the matching ones are compiled: about 2 µs for each
 * byte that is not cached; a cached byte takes about 100 bytes of memory.
 */
export const MAX_PREDICATE_BYTES = 256 * 1024;

export const tooDeep = (generation: number): boolean => generation + 1 > MAX_GENERATIONS;

export const depthReason = (generation: number): string =>
  `the handler run would be of generation ${generation + 1}; a chain may have at most ${MAX_GENERATIONS}`;
