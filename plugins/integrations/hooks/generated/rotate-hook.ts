// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface RotateHook {
  /**
   * The new signing key, for hooks whose deliveries are signed. The service generates shared tokens itself.
   */
  key?: string;
  /**
   * How long the previous secret or key stays valid: `24h`, at most `30d`. By default, it expires immediately.
   */
  overlap?: string;
  /**
   * Expires the old secret or key now, without creating a new one.
   */
  end_overlap?: boolean;
}
