// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface RotateWebhook {
  /**
   * How long the secret before counts too: `24h`, at most `30d`. Absent: it ends at once.
   */
  overlap?: string;
  /**
   * Nothing is new: the secret from before the last rotation ends now.
   */
  end_overlap?: boolean;
}
