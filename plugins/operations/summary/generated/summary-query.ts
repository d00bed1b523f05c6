// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Query of `GET {scoped}/summary`.
 */
export interface SummaryQuery {
  /**
   * The period for which ended runs are counted, up to now.
   */
  window?: '1h' | '24h' | '7d';
}
