// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Workflow} from './workflow.ts';

/**
 * A workflow to run.
 */
export type SubmitRunBody = Workflow & {
  /**
   * Limits how many runs of a group can proceed at a time, with the same leases as `svc lock`. The run is queued until its turn, and holds the lease until it ends. Scripts and functions only.
   */
  concurrency?: {
    /**
     * Name of the lock.
     */
    group: string;
    /**
     * How many can proceed at once. If the holders' limits differ, the lowest one applies. Default: 1, or 1,000 with a throttle.
     */
    limit?: number;
    /**
     * `queue` (the default): the run waits for its turn. `cancel-pending`: cancels earlier runs that are waiting. `cancel-running`: cancels those, and as many running ones as needed to make room.
     */
    policy?: 'queue' | 'cancel-pending' | 'cancel-running';
    /**
     * At most `limit` of the group's runs that have a throttle start in any period of length `period`. The others wait.
     */
    throttle?: {
      /**
       * The maximum number of starts in a period.
       */
      limit: number;
      /**
       * A duration from `1s` to `7d`, such as `1m`.
       */
      period: string;
    };
  };
  /**
   * A run with a higher priority goes before waiting runs of its project, both at agents and in lock queues. Default: 0.
   */
  priority?: number;
  /**
   * If the key was used before in this project, the response contains the first run. The `Idempotency-Key` header does the same.
   */
  idempotency_key?: string;
  /**
   * True to create the run paused: it does not start until somebody resumes it.
   */
  paused?: boolean;
};
