// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The settings of a project for its runs.
 */
export interface RunSettings {
  /**
   * Time limit of runs that set none: a duration such as `2h`, including waits. null: no limit.
   */
  timeout: string | null;
}
