// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A manually triggered tick.
 */
export interface TriggeredSchedule {
  /**
   * The recorded `schedule.tick` event.
   */
  event: string;
  /**
   * Absent when there is no workflow, or when it could not be started.
   */
  run_id?: string;
  /**
   * The reason why the workflow was not started.
   */
  error?: string;
  /**
   * True if the idempotency key was used before. The response then describes the first tick.
   */
  duplicate?: boolean;
}
