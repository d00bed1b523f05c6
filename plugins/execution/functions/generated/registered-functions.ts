// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The workflows that a worker serves.
 */
export interface RegisteredFunctions {
  /**
   * @minItems 1
   * @maxItems 60
   */
  functions: [RegisteredFunction, ...RegisteredFunction[]];
}
export interface RegisteredFunction {
  /**
   * Name of the workflow.
   */
  name: string;
  /**
   * Version of the workflow: a digest of the worker's files, or a version name set by the workflow.
   */
  version: string;
  /**
   * `pinned`: a run continues only with the version that it began with. `replay`: a run can continue with any version, and the replay checks its calls.
   */
  versions: 'replay' | 'pinned';
  /**
   * JSON Schema of the input, at most 64 KiB.
   */
  input?: {} | boolean;
  /**
   * Default timeout of its runs, such as `1h`.
   */
  timeout?: string;
  /**
   * A number: how many runs of this workflow one worker runs at once. An object: how its runs take turns, whichever worker runs them.
   */
  concurrency?:
    | number
    | {
        /**
         * A CEL expression over `input`: the limits apply to each value separately. The lock is then `<group>/<value>`.
         */
        key?: string;
        /**
         * How many runs continue at once. Default: 1, or 1,000 with a throttle.
         */
        limit?: number;
        /**
         * How many runs start in any period of this length; the others wait.
         */
        throttle?: {
          /**
           * How many.
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
         * How many runs of this workflow one worker runs at once.
         */
        per_worker?: number;
      };
  /**
   * The priority of its runs, unless their submit sets one: 0 to 9, or a CEL expression over `input`.
   */
  priority?: number | string;
}
