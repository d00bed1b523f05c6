/** The kind of the waits for a concurrency group, with `{of: run | job, policy, limit}`. */
export const CONCURRENCY_WAIT = 'concurrency';
