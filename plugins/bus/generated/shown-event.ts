// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * One event with its payload and what came of it.
 */
export interface ShownEvent {
  /**
   * Its id, `evt_…`.
   */
  event: string;
  type: string;
  /**
   * Its subject; null for a broadcast.
   */
  key: string | null;
  /**
   * Where it comes from.
   */
  source: 'emit' | 'hook' | 'forge' | 'lifecycle' | 'schedule' | 'manual' | 'spawn' | 'account';
  source_name: string;
  generation: number;
  trusted: boolean;
  recorded_at: string;
  /**
   * What it carries, with the secrets of the run that emitted it masked.
   */
  payload: null | boolean | number | string | unknown[] | {};
  /**
   * What the envelope has beside type, event, key and payload: ref, sha, schedule, parent and the like.
   */
  fields?: {};
  /**
   * What came of it: handlers and webhooks, then waits and cancels.
   */
  deliveries: {
    /**
     * handler, webhook, wait or cancel.
     */
    reaction: string;
    /**
     * Of the handler or webhook; for waits and cancels the run.
     */
    name: string;
    state: 'delivered' | 'declined' | 'refused' | 'queued';
    /**
     * Why it was declined or refused.
     */
    reason?: string;
    /**
     * The run that was started, woken or cancelled.
     */
    run_id?: string;
  }[];
  /**
   * Waits and cancels beyond the 200 listed; absent when there are none.
   */
  more?: number;
  /**
   * The last 200 times that somebody had it delivered again to a handler, newest first.
   */
  replays: {
    /**
     * Its id, `rpl_…`.
     */
    replay: string;
    handler: string;
    state: 'delivered' | 'declined' | 'refused' | 'queued';
    /**
     * Why it was declined or refused.
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
  }[];
}
