// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An overview of a project.
 */
export interface Summary {
  window: '1h' | '24h' | '7d';
  /**
   * The start of the first bucket.
   */
  since: string;
  /**
   * When it was read.
   */
  at: string;
  /**
   * The current number of unfinished runs (100000 means that many or more), and of runs that have ended since `since`.
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
   * Up to 60 buckets, oldest first. The last bucket is still open.
   */
  series: {
    at: string;
    started: number;
    succeeded: number;
    failed: number;
    cancelled: number;
  }[];
  /**
   * Runs that ended, per minute.
   */
  throughput: number;
  /**
   * The proportion of ended runs that failed, from 0 to 1. It is 0 if no run ended.
   */
  failure_rate: number;
  waits: {
    /**
     * The 50 most common reasons why runs wait.
     */
    groups: {
      kind: 'sleep' | 'signal' | 'event' | 'ask' | 'any' | 'awaiting_lease' | 'activity' | 'child';
      name: string;
      count: number;
    }[];
    /**
     * The 10 runs that have waited longest.
     */
    oldest: {
      run_id: string;
      workflow: string;
      kind: 'sleep' | 'signal' | 'event' | 'ask' | 'any' | 'awaiting_lease' | 'activity' | 'child';
      name: string;
      since: string;
      deadline?: string;
    }[];
    /**
     * If false, only the oldest 1000 waiting runs and the oldest 1000 queued runs were checked.
     */
    complete: boolean;
  };
  agents: {
    connected: number;
    slots: number;
    /**
     * Free slots.
     */
    free: number;
  };
  /**
   * At most 50 items that need attention; absent for viewers, who cannot see them.
   */
  attention?: {
    /**
     * `account` or `credential`.
     */
    kind: string;
    name: string;
    /**
     * An account's status, or a credential's problem, such as `missing` or `wrong_kind`.
     */
    state: string;
    detail: string;
    /**
     * The published graph that uses it.
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
