// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The started run.
 */
export interface StartedTrial {
  /**
   * Opaque, ordered by time.
   */
  run_id: string;
  /**
   * `queued`, `running` or a final status.
   */
  status: string;
  /**
   * The event that started it, `evt_…`.
   */
  event: string;
}
