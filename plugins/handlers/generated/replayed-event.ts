// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What came of an event that was delivered again to a handler.
 */
export interface ReplayedEvent {
  /**
   * Its id, `rpl_…`.
   */
  replay: string;
  event: string;
  handler: string;
  /**
   * `delivered`: a run has started. It never waits for a place.
   */
  state: 'delivered' | 'declined' | 'refused' | 'queued';
  /**
   * Why no run has started.
   */
  reason?: string;
  run_id?: string;
  /**
   * The name of whoever asked for it.
   */
  by: string;
  at: string;
  /**
   * Whatever the predicate said.
   */
  forced: boolean;
  /**
   * The idempotency key was used before: this is the first replay.
   */
  duplicate?: boolean;
}
