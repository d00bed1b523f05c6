// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface RotateHook {
  /**
   * The new signing key, of hooks whose deliveries are signed. A shared token is made by the service.
   */
  key?: string;
  /**
   * How long the secret or key before counts too: `24h`, at most `30d`. Absent: it ends at once.
   */
  overlap?: string;
  /**
   * Nothing is new: the secret or key from before the last rotation ends now.
   */
  end_overlap?: boolean;
}
