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
   * CEL over `event`, the envelope with `type`, `key`, `event`, `payload` and its other members; a run starts if it is true.
   */
  when?: string;
  /**
   * The maximum number of the handler's runs in flight; other deliveries wait in order of arrival. Waiting runs are not in flight.
   */
  concurrency?: {
    /**
     * Default 1.
     */
    limit?: number;
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
};
