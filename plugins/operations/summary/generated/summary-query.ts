// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Query of `GET {scoped}/summary`.
 */
export interface SummaryQuery {
  /**
   * How far back to count runs that have ended.
   */
  window?: '1h' | '24h' | '7d';
}
