// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface BrowserSession {
  id: string;
  /**
   * Program and system, such as `Firefox 140 on Linux`.
   */
  browser: string;
  /**
   * `token`, `link`, or the name of a sign-in method.
   */
  signed_in_by: string;
  /**
   * ISO 8601.
   */
  begun_at: string;
  /**
   * ISO 8601; written once a minute.
   */
  last_seen_at: string;
  /**
   * ISO 8601.
   */
  expires_at: string;
  /**
   * True for the session of this request.
   */
  current: boolean;
}
