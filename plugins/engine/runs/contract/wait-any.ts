/** One of the things that a `wait-any` waits for. The arguments of the wait are `{branches}`. */
export interface AnyBranch {
  kind: 'signal' | 'event' | 'ask';
  /** The name of the signal or the ask, or the type of the event. */
  name: string;
  /** Of an event: CEL over `event`, for documents that can be checked before they run. */
  when?: string;
  /** Of an event: those of untrusted runs count too. */
  untrusted?: true;
}

/** Several waits for one call are rows of the database each. */
export const MAX_BRANCHES = 16;
