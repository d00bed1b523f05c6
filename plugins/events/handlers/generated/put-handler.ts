// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Workflow} from '../../../engine/runs/contract.ts';

/**
 * A workflow that runs when an event arrives.
 */
export type PutHandlerBody = Workflow & {
  /**
   * Type patterns: an exact type, a prefix with a `*` at its end (`run.*`), or `*`.
   *
   * @minItems 1
   * @maxItems 32
   */
  on: [string, ...string[]];
  /**
   * A CEL expression over `event`, the envelope with `type`, `key`, `event`, `payload` and its other members. A run starts if the result is true.
   */
  when?: string;
  /**
   * The maximum number of the handler's runs in flight. Other deliveries wait in order of arrival. A run that is waiting is not in flight.
   */
  concurrency?: {
    /**
     * Default 1.
     */
    limit?: number;
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
   * How often svc automatically reruns a failed run. Cancelled runs are not rerun.
   */
  retry?: {
    /**
     * The maximum number of retries. Default 1.
     */
    limit?: number;
    /**
     * The delay before the first retry, from `1s` to `7d`. It doubles with each retry. Default `10s`.
     */
    backoff?: string;
    /**
     * The longest delay. Default `1h`.
     */
    backoff_max?: string;
  };
};
