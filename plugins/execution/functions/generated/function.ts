// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * One version of a workflow that workers serve.
 */
export interface FunctionView {
  /**
   * Name of the workflow.
   */
  name: string;
  /**
   * Version of the workflow.
   */
  version: string;
  /**
   * `pinned`: a run continues only with the version that it began with. `replay`: a run can continue with any version, and the replay checks its calls.
   */
  versions: 'replay' | 'pinned';
  /**
   * True if new runs start with this version, because the most recently started worker serves it.
   */
  current: boolean;
  /**
   * Default timeout of its runs.
   */
  timeout?: string;
  /**
   * A number: how many of this workflow's runs a worker executes at once. An object: how its runs take turns across all workers.
   */
  concurrency?:
    | number
    | {
        /**
         * A CEL expression over `input`. The limits apply to each of its values separately. The lock is then `<group>/<value>`.
         */
        key?: string;
        /**
         * How many runs can proceed at once. Default: 1, or 1,000 with a throttle.
         */
        limit?: number;
        /**
         * At most `limit` runs start in any period of length `period`. The others wait.
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
        /**
         * Name of the lock. Default: `function/<name>`.
         */
        group?: string;
        /**
         * What happens to earlier runs of the group. Default: `queue`.
         */
        policy?: 'queue' | 'cancel-pending' | 'cancel-running';
        /**
         * How many of this workflow's runs a worker executes at once.
         */
        per_worker?: number;
      };
  /**
   * The priority of its runs, unless their submission sets one: 0 to 9, or a CEL expression over `input`.
   */
  priority?: number | string;
  /**
   * Names of the connected agents that serve this version. Empty if none do.
   */
  workers: string[];
  /**
   * Runs that wait because no connected agent serves this version, counted up to 1,000. The current version's count includes the runs that can continue with any version.
   */
  waiting: number;
  /**
   * Time of its first registration.
   */
  registered_at: string;
}
