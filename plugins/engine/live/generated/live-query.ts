// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Query of `GET {scoped}/live`.
 */
export interface LiveQuery {
  /**
   * Up to 16 topics to follow, separated by commas: `runs,events,run:run_01…`.
   */
  topics: string;
}
