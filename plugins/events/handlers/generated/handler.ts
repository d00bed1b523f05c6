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
     * A CEL expression over `event`. The limit applies to each value separately.
     */
    key?: string;
  };
  /**
   * At most `limit` runs of the handler start in any period of length `period`. Other deliveries wait in order of arrival.
   */
  throttle?: {
    /**
     * The maximum number of starts in a period.
     */
    limit: number;
    /**
     * A duration from `1s` to `7d`.
     */
    period: string;
    /**
     * A CEL expression over `event`. The limit applies to each value separately.
     */
    key?: string;
  };
  /**
   * The handler accepts at most `limit` events in any period of length `period`. It drops other events, and their deliveries are `declined`.
   */
  rate_limit?: {
    /**
     * The maximum number of events in a period.
     */
    limit: number;
    /**
     * A duration from `1s` to `7d`.
     */
    period: string;
    /**
     * A CEL expression over `event`. The limit applies to each value separately.
     */
    key?: string;
  };
  /**
   * Starts one run for a burst of events, with the last event. The deliveries of the earlier events are `declined`.
   */
  debounce?: {
    /**
     * The run starts when no event has arrived for this duration, from `1s` to `7d`.
     */
    period: string;
    /**
     * The longest time from the first event of the burst to the start of the run.
     */
    max?: string;
    /**
     * A CEL expression over `event`. Events with different values belong to different bursts.
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
     * The longest time from the first event to the start of the run, from `1s` to `1d`.
     */
    timeout: string;
    /**
     * A CEL expression over `event`. Events are batched separately for each value.
     */
    key?: string;
  };
  /**
   * A number of seconds, or a CEL expression over `event` that returns one. A waiting delivery is treated as if it had arrived this much earlier.
   */
  priority?: number | string;
  /**
   * How often svc automatically reruns a failed run.
   */
  retry?: {
    limit: number;
    backoff: string;
    backoff_max: string;
  };
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
   * Whether and how the event's repository is checked out for its script. Returned unchanged.
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
   * What its queued deliveries are waiting for. Absent in lists, and for handlers without options that make deliveries wait.
   */
  waiting?: {
    /**
     * `throttle`, `debounce`, `batch`, `concurrency`, or `slot` (one of the runs that the project can have in flight).
     */
    for: string;
    /**
     * The number of deliveries, counted up to 10,000.
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
     * The number of runs that it started, including their reruns.
     */
    started: number;
    /**
     * The number of its runs that failed.
     */
    failed: number;
    /**
     * The number of events that it declined because its predicate could not be evaluated.
     */
    predicate_errors: number;
    /**
     * The number of queued deliveries, counted up to 10,000.
     */
    queued: number;
    /**
     * The number of events that its `rate_limit` dropped.
     */
    dropped?: number;
  };
  created_at: string;
  set_at: string;
  input?: null | boolean | number | string | unknown[] | {};
  subject?: string;
}
