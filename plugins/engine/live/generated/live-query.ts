// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Query of `GET {scoped}/live`.
 */
export interface LiveQuery {
  /**
   * The topics to follow, at most 16, separated by commas: `runs,events,run:run_01…`.
   */
  topics: string;
}
