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
   * The version with which new runs begin.
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
   * How many runs of the workflow one worker executes at the same time.
   */
  concurrency?: number;
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
     * The IDs of the oldest of them, at most five.
     */
    oldest: string[];
  }[];
}
