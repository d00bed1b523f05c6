// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface RotateWebhook {
  /**
   * How long the previous secret stays valid: `24h`, at most `30d`. Absent: it expires immediately.
   */
  overlap?: string;
  /**
   * Creates no new secret: the secret from before the last rotation expires now.
   */
  end_overlap?: boolean;
}
