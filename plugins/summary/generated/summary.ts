// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * How a project stands.
 */
export interface Summary {
  window: '1h' | '24h' | '7d';
  /**
   * The beginning of the first bucket.
   */
  since: string;
  /**
   * When it was read.
   */
  at: string;
  /**
   * Unfinished runs as they are now (100000 says that many or more), and those that ended since.
   */
  runs: {
    queued: number;
    running: number;
    waiting: number;
    succeeded: number;
    failed: number;
    cancelled: number;
  };
  /**
   * The length of a bucket of the series.
   */
  bucket_ms: number;
  /**
   * At most 60, oldest first; the last bucket is not over.
   */
  series: {
    at: string;
    started: number;
    succeeded: number;
    failed: number;
    cancelled: number;
  }[];
  /**
   * Runs that ended, a minute.
   */
  throughput: number;
  /**
   * The part of them that failed, 0 to 1; 0 when none ended.
   */
  failure_rate: number;
  waits: {
    /**
     * The 50 that most wait for.
     */
    groups: {
      kind: 'sleep' | 'signal' | 'event' | 'awaiting_lease' | 'activity' | 'child';
      name: string;
      count: number;
    }[];
    /**
     * The 10 that last the longest.
     */
    oldest: {
      run_id: string;
      workflow: string;
      kind: 'sleep' | 'signal' | 'event' | 'awaiting_lease' | 'activity' | 'child';
      name: string;
      since: string;
      deadline?: string;
    }[];
    /**
     * False: only the oldest 1000 waiting runs and the oldest 1000 queued ones were looked at.
     */
    complete: boolean;
  };
  agents: {
    connected: number;
    slots: number;
    /**
     * Slots that hold no activity.
     */
    free: number;
  };
  /**
   * At most 50. What goes on only when somebody does something; absent for a viewer, who may not see it.
   */
  attention?: {
    /**
     * `account` or `credential`.
     */
    kind: string;
    name: string;
    /**
     * The status of the account; `missing`, `wrong_kind` and others of a credential.
     */
    state: string;
    detail: string;
    /**
     * The published graph that needs it.
     */
    graph?: string;
  }[];
  /**
   * The last 10 runs that failed, newest first.
   */
  failures: {
    run_id: string;
    workflow: string;
    finished_at?: string;
    code: string;
    /**
     * At most 200 characters.
     */
    message: string;
  }[];
}
