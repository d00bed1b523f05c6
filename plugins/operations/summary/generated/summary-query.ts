// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Query of `GET {scoped}/summary`.
 */
export interface SummaryQuery {
  /**
   * Counts runs that ended in this last period.
   */
  window?: '1h' | '24h' | '7d';
}
