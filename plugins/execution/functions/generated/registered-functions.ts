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
   * How many runs of this workflow one worker runs at once.
   */
  concurrency?: number;
}
