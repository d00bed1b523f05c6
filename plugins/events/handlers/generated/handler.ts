// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A registered handler; in lists without its document.
 */
export interface HandlerView {
  name: string;
  on: string[];
  when?: string;
  /**
   * The maximum number of its runs in flight; absent if the handler sets no limit.
   */
  concurrency?: {
    /**
     * Default 1.
     */
    limit: number;
    /**
     * CEL over `event`; the limit applies to each value separately.
     */
    key?: string;
  };
  /**
   * At most `limit` runs of the handler start in any period of length `period`. Other deliveries wait in order of arrival.
   */
  throttle?: {
    /**
     * The number of starts.
     */
    limit: number;
    /**
     * A duration from `1s` to `7d`.
     */
    period: string;
    /**
     * CEL over `event`; the limit applies to each value separately.
     */
    key?: string;
  };
  /**
   * The handler takes at most `limit` events in any period of length `period`. It drops the others, and their deliveries are `declined`.
   */
  rate_limit?: {
    /**
     * The number of events.
     */
    limit: number;
    /**
     * A duration from `1s` to `7d`.
     */
    period: string;
    /**
     * CEL over `event`; the limit applies to each value separately.
     */
    key?: string;
  };
  /**
   * Starts one run for a burst of events, with its last event. The deliveries of the earlier ones are `declined`.
   */
  debounce?: {
    /**
     * The run starts when no event has arrived for this duration, from `1s` to `7d`.
     */
    period: string;
    /**
     * The run starts at the latest this long after the first event of the burst.
     */
    max?: string;
    /**
     * CEL over `event`: each value has separate bursts.
     */
    key?: string;
  };
  /**
   * Starts one run for several events. The `payload` of the run's input is the list of the events' envelopes, at most 1 MiB in total.
   */
  batch?: {
    /**
     * The run starts when there are this many events.
     */
    size: number;
    /**
     * The run starts at the latest this long after the first event, from `1s` to `1d`.
     */
    timeout: string;
    /**
     * CEL over `event`: each value has separate batches.
     */
    key?: string;
  };
  /**
   * Seconds, or CEL over `event` that yields them: a waiting delivery counts as if it had arrived this much earlier.
   */
  priority?: number | string;
  /**
   * Kind of workflow.
   */
  kind: string;
  filename?: string;
  source?: string;
  graph?: string;
  node?: string;
  config?: {
    [k: string]: unknown;
  };
  interpreter?: string;
  args?: string[];
  files?: {
    path: string;
    digest: string;
    size: number;
    executable?: boolean;
  }[];
  env?: {
    [k: string]: string;
  };
  tags?: string[];
  requires?: string[];
  /**
   * Maps variables to credential names, never to values.
   */
  credentials?: {
    [k: string]: string;
  };
  /**
   * Whether and how its script starts with the event's repository; returned unchanged.
   */
  checkout?:
    | boolean
    | {
        [k: string]: unknown;
      };
  /**
   * The time limit of its runs.
   */
  timeout?: string;
  cancel_on?: string[];
  /**
   * The resource that registered and manages it: `graph:<graph>`.
   */
  owner?: string;
  /**
   * ID of the user who registered it last.
   */
  set_by?: string;
  /**
   * What its queued deliveries are waiting for; absent in lists, and if it has no options.
   */
  waiting?: {
    /**
     * `throttle`, `debounce`, `batch`, `concurrency`, or `slot`: one of the runs that the project can have in flight.
     */
    for: string;
    /**
     * Deliveries; at most 10,000 are counted.
     */
    count: number;
    /**
     * The earliest time at which one of them can continue.
     */
    until?: string;
  }[];
  /**
   * Its results in the current hour and the previous 23 hours, and its queued deliveries.
   */
  lately?: {
    since: string;
    /**
     * Runs that it started, including their reruns.
     */
    started: number;
    /**
     * Its failed runs.
     */
    failed: number;
    /**
     * Events that it declined because its predicate could not be evaluated.
     */
    predicate_errors: number;
    /**
     * Queued deliveries; at most 10,000 are counted.
     */
    queued: number;
    /**
     * Events that its `rate_limit` dropped.
     */
    dropped?: number;
  };
  created_at: string;
  set_at: string;
  input?: null | boolean | number | string | unknown[] | {};
  subject?: string;
}
