// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What the times of a project's recent runs say.
 */
export interface Insights {
  since: string;
  /**
   * When it was read.
   */
  at: string;
  /**
   * How many runs were read, newest first.
   */
  runs: number;
  /**
   * False if older runs since `since`, or some of the calls of a run with very many, were not read.
   */
  complete: boolean;
  /**
   * What runs waited for, most time first. `kind` is `agent`, `signal`, `event`, `ask`, `lock`, `activity`, `child` or `any`. Sleeps are left out.
   */
  waits: {
    workflow: string;
    kind: string;
    /**
     * Secret values are masked.
     */
    name: string;
    /**
     * Number of waits.
     */
    count: number;
    /**
     * Waits that have not ended.
     */
    open: number;
    total_ms: number;
    longest_ms: number;
    /**
     * The run with the longest wait.
     */
    run_id: string;
    /**
     * What to do.
     */
    next: string[];
  }[];
  /**
   * Calls whose retries never helped, most attempts first.
   */
  retries: {
    workflow: string;
    kind: string;
    /**
     * Secret values are masked.
     */
    name: string;
    /**
     * Calls that failed more than once. None of them succeeded.
     */
    calls: number;
    /**
     * Failed attempts of these calls.
     */
    attempts: number;
    /**
     * From the first attempt to the end of the last one, together.
     */
    lost_ms: number;
    /**
     * The newest such run.
     */
    run_id: string;
    /**
     * What to do.
     */
    next: string[];
  }[];
  /**
   * Calls that take longer than before, largest difference first.
   */
  slower: {
    workflow: string;
    kind: string;
    /**
     * Secret values are masked.
     */
    name: string;
    /**
     * The median in the older half of the calls.
     */
    before_ms: number;
    /**
     * The median in the newer half.
     */
    after_ms: number;
    /**
     * Calls in each half.
     */
    samples: number;
    /**
     * The newest run in which the call took that long.
     */
    run_id: string;
    /**
     * What to do.
     */
    next: string[];
  }[];
  /**
   * Handlers that were set before `since` and have started no run since, by name.
   */
  handlers: {
    name: string;
    on: string[];
    /**
     * When the newest event of its types was recorded; null if there is none. Absent if a pattern ends with *, or if it has more than four types.
     */
    last_event_at?: string | null;
    /**
     * When its newest run was created; null if it has never started a run that still exists.
     */
    last_run_at: string | null;
    next: string[];
  }[];
}
