// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ListAuditQuery {
  /**
   * An action, such as `secret.read`, or only its noun, such as `secret`.
   */
  action?: string;
  /**
   * Name or ID of the user who performed the action.
   */
  principal?: string;
  /**
   * A time (2026-01-31T12:00:00Z), or a duration before now (7d).
   */
  since?: string;
  limit?: number;
  /**
   * `next_cursor` of the previous page.
   */
  cursor?: string;
}
