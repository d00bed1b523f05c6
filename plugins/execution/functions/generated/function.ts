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
   * `pinned`: a run continues only with the version that it began with. `replay`: with any version, under the replay guard.
   */
  versions: 'replay' | 'pinned';
  /**
   * Default timeout of its runs.
   */
  timeout?: string;
  /**
   * Names of the connected agents that serve this version. Empty if none do.
   */
  workers: string[];
  /**
   * Time of its first registration.
   */
  registered_at: string;
}
