// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A schedule as it stands.
 */
export interface ScheduleView {
  name: string;
  cron: string;
  timezone: string;
  subject?: string;
  paused: boolean;
  /**
   * Absent while it is not paused.
   */
  paused_since?: string;
  /**
   * The name of whoever paused it.
   */
  paused_by?: string;
  /**
   * Absent while it is paused, and when it will never fire again.
   */
  next_due?: string;
  /**
   * Absent before the first.
   */
  last_tick?: {
    /**
     * The time it was for.
     */
    due: string;
    /**
     * When it was recorded.
     */
    ticked_at: string;
    event: string;
    /**
     * Absent when there is no workflow, or when it could not be started.
     */
    run_id?: string;
    /**
     * How many due times it stands for, when no server was there in time.
     */
    missed_count?: number;
    /**
     * Why the workflow was not started.
     */
    error?: string;
    /**
     * The name of whoever triggered it by hand; absent for a tick of the clock.
     */
    triggered_by?: string;
  };
  /**
   * As it was given, but in a list without its document, input and variables; null: ticks are only events.
   */
  workflow: {
    [k: string]: unknown;
  } | null;
  /**
   * The resource that made it and with which it changes: `graph:<graph>`.
   */
  owner?: string;
  created_at: string;
  set_at: string;
}
