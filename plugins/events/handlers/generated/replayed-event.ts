// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The result of delivering an event again to a handler.
 */
export interface ReplayedEvent {
  /**
   * ID of the replay, `rpl_…`.
   */
  replay: string;
  event: string;
  handler: string;
  /**
   * `delivered` means that a run has started. A replay is never queued.
   */
  state: 'delivered' | 'declined' | 'refused' | 'queued';
  /**
   * Why no run has started.
   */
  reason?: string;
  run_id?: string;
  /**
   * The name of the user who requested it.
   */
  by: string;
  at: string;
  /**
   * The predicate was ignored.
   */
  forced: boolean;
  /**
   * The idempotency key was used before: this is the first replay.
   */
  duplicate?: boolean;
}
