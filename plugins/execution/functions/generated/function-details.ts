// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {FunctionView} from './function.ts';

/**
 * A workflow that workers serve, with its input and its versions.
 */
export interface FunctionDetails {
  /**
   * Name of the workflow.
   */
  name: string;
  /**
   * The version that new runs start with.
   */
  version: string;
  /**
   * With `pinned`, a run continues only with the version that it started with. With `replay`, it continues with any version, and the replay guard checks its calls.
   */
  versions: 'replay' | 'pinned';
  /**
   * JSON Schema of the input of new runs.
   */
  input?: {} | boolean;
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
   * Its versions, newest first, at most 20 per owner.
   */
  registrations: FunctionView[];
  /**
   * Runs that wait for a version that no connected agent serves.
   */
  waiting: {
    /**
     * The version that they wait for; absent: any version.
     */
    version?: string;
    /**
     * How many, counted up to 1,000.
     */
    runs: number;
    /**
     * The IDs of up to five of them, oldest first.
     */
    oldest: string[];
  }[];
}
