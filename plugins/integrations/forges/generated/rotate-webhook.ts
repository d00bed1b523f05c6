// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface RotateWebhook {
  /**
   * How long the previous secret stays valid: `24h`, at most `30d`. By default, it expires immediately.
   */
  overlap?: string;
  /**
   * Expires the old secret now, without creating a new one.
   */
  end_overlap?: boolean;
}
