// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface SignInLink {
  /**
   * Opens the console, signed in. The link works once.
   */
  url: string;
  /**
   * ISO 8601.
   */
  expires_at: string;
}
