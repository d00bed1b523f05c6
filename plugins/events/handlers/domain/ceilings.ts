/** Maximum generations in a chain of handler runs (I12). */
export const MAX_GENERATIONS = 5;
/** Maximum unfinished handler runs of a project (I12). */
export const MAX_IN_FLIGHT = 16;
/** Maximum untrusted runs among them, so that strangers cannot take every slot. */
export const MAX_UNTRUSTED = 4;
/** Sent as `Retry-After` when there is no free slot. */
export const RETRY_MS = 1000;
/** Maximum handlers of a project. */
export const MAX_HANDLERS = 2000;
/**
 * Maximum bytes of all predicates, keys and priorities of a project. An emit waits until the matching ones are compiled, which takes about
 * 2 µs for each byte that is not cached; a cached byte uses about 100 bytes of memory.
 */
export const MAX_PREDICATE_BYTES = 256 * 1024;

export const exceedsMaxGenerations = (generation: number): boolean => generation + 1 > MAX_GENERATIONS;

export const generationReason = (generation: number): string =>
  `the handler run would be generation ${generation + 1}; a chain can have at most ${MAX_GENERATIONS}`;
