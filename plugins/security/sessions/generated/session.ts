// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface SessionView {
  user: string;
  /**
   * Value of the X-SVC-CSRF header in write requests. It stays the same for the whole session.
   */
  csrf: string;
  /**
   * ISO 8601. The session ends at this time at the latest.
   */
  expires_at: string;
  /**
   * The session ends earlier if it is not used for this long.
   */
  idle_ms: number;
}
