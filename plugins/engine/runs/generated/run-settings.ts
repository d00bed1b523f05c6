// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A project's run settings.
 */
export interface RunSettings {
  /**
   * Time limit for runs without one: a duration such as `2h`, including waits. With null, there is no limit.
   */
  timeout: string | null;
}
