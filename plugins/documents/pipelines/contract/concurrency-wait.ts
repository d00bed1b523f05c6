/** The kind of the waits for a concurrency group, with the arguments of `concurrencyArgs`. */
export const CONCURRENCY_WAIT = 'concurrency';
