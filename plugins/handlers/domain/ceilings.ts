/** Generations of a chain: what handlers emit starts handlers at most so many times in a row (I12). */
export const MOST_GENERATIONS = 5;
/** Handler runs of a project that have not ended (I12). */
export const MOST_IN_FLIGHT = 16;
/** Of a project. */
export const MOST_HANDLERS = 2000;

export const tooDeep = (generation: number): boolean => generation + 1 > MOST_GENERATIONS;

export const depthReason = (generation: number): string =>
  `a handler run would be of generation ${generation + 1}, and a chain has at most ${MOST_GENERATIONS}`;
