// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Query of `GET {scoped}/dead-letters`.
 */
export interface DeadLettersQuery {
  limit?: number;
  cursor?: string;
  /**
   * Only of this handler.
   */
  handler?: string;
  /**
   * Only of events of this type.
   */
  type?: string;
  /**
   * Only deliveries that failed since a time (2026-01-31T12:00:00Z) or within a duration (2h).
   */
  since?: string;
}
