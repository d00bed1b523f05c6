// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Query of `GET {scoped}/insights`.
 */
export interface InsightsQuery {
  /**
   * Only runs created at this time (2026-01-31T12:00:00Z) or within this duration (2h, 7d).
   */
  since?: string;
}
