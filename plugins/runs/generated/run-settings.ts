// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What a project says of its runs.
 */
export interface RunSettings {
  /**
   * How long a run may take that has no timeout of its own: a duration such as `2h`, waits included. null: for ever.
   */
  timeout: string | null;
}
