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
   * The version that new runs start with: the version of the worker that started last.
   */
  current: boolean;
  /**
   * Default timeout of its runs.
   */
  timeout?: string;
  /**
   * How many runs of the workflow one worker executes at the same time.
   */
  concurrency?: number;
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
