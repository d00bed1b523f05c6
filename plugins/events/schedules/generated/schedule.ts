// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A schedule in its current state.
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
   * The name of the user who paused it.
   */
  paused_by?: string;
  /**
   * Absent while it is paused, and if it never fires again.
   */
  next_due?: string;
  /**
   * When the next due time starts; absent if that is the due time itself.
   */
  starts_at?: string;
  /**
   * What happens at a due time while an earlier run has not ended. Absent if the due time starts anyway.
   */
  overlap?: 'skip' | 'queue' | 'cancel';
  /**
   * The maximum delay between a due time and its start.
   */
  jitter?: string;
  /**
   * The maximum age of missed due times that start after an outage.
   */
  catch_up?: string;
  /**
   * The time after which a due time that has not started is skipped.
   */
  deadline?: string;
  /**
   * Absent before the first tick.
   */
  last_tick?: {
    /**
     * The due time.
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
     * The number of due times that this tick covers, if no server was running at those times.
     */
    missed_count?: number;
    /**
     * The reason why the workflow was not started.
     */
    error?: string;
    /**
     * The name of the user who triggered it; absent for a regular tick.
     */
    triggered_by?: string;
  };
  /**
   * The workflow, unchanged, except that lists leave out its document, input and variables. Null if ticks are only events.
   */
  workflow: {
    [k: string]: unknown;
  } | null;
  /**
   * The resource that created and manages it: `graph:<graph>`.
   */
  owner?: string;
  created_at: string;
  set_at: string;
}
