// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A delivery to a handler that has failed permanently.
 */
export interface DeadLetterView {
  /**
   * ID of the dead letter, `dlt_…`.
   */
  dead_letter: string;
  event: string;
  /**
   * Type of the event.
   */
  type: string;
  handler: string;
  /**
   * The run that failed. Absent if none started.
   */
  run_id?: string;
  /**
   * The error code of the run.
   */
  code?: string;
  /**
   * Why the run failed, or why none started. At most 300 characters.
   */
  reason: string;
  failed_at: string;
}
