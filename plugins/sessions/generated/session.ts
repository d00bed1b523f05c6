// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface SessionView {
  user: string;
  /**
   * ISO 8601.
   */
  expires_at: string;
}
