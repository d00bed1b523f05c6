// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * One event with its payload and its effects.
 */
export interface ShownEvent {
  /**
   * ID of the event, `evt_…`.
   */
  event: string;
  type: string;
  /**
   * Its subject; null for a broadcast.
   */
  key: string | null;
  /**
   * The source of the event.
   */
  source: 'emit' | 'hook' | 'forge' | 'lifecycle' | 'schedule' | 'manual' | 'spawn' | 'account' | 'trigger';
  source_name: string;
  generation: number;
  trusted: boolean;
  recorded_at: string;
  /**
   * Its payload. The secrets of the run that emitted it are masked.
   */
  payload: null | boolean | number | string | unknown[] | {};
  /**
   * Members of the envelope other than type, event, key and payload: ref, sha, schedule, parent and so on.
   */
  fields?: {};
  /**
   * The effects: handlers and webhooks, then waits and cancellations.
   */
  deliveries: {
    /**
     * handler, webhook, wait or cancel.
     */
    reaction: string;
    /**
     * The name of the handler or webhook; for waits and cancellations, the run.
     */
    name: string;
    state: 'delivered' | 'declined' | 'refused' | 'queued';
    /**
     * Why it was declined or rejected.
     */
    reason?: string;
    /**
     * The run that was started, woken or cancelled.
     */
    run_id?: string;
    /**
     * What a queued delivery to a handler is waiting for.
     */
    waits?: {
      /**
       * `throttle`, `debounce`, `batch`, `concurrency`, or `slot` (one of the runs that the project can have in flight).
       */
      for: string;
      /**
       * The earliest time at which it can continue.
       */
      until?: string;
      /**
       * The number of other deliveries that are waiting for the same thing, counted up to 9,999.
       */
      others: number;
    };
  }[];
  /**
   * The number of further waits and cancellations, after the 200 that are listed; absent if there are none.
   */
  more?: number;
  /**
   * The last 200 replays to a handler, newest first.
   */
  replays: {
    /**
     * ID of the replay, `rpl_…`.
     */
    replay: string;
    handler: string;
    state: 'delivered' | 'declined' | 'refused' | 'queued';
    /**
     * Why it was declined or rejected.
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
  }[];
}
