// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The next due times of a schedule, even if it is paused, and why due times wait or were skipped.
 */
export interface NextDue {
  name: string;
  cron: string;
  timezone: string;
  paused: boolean;
  next: string[];
  /**
   * The times in `next`, with the expected action at each.
   */
  upcoming: {
    due: string;
    /**
     * The due time plus its jitter.
     */
    starts_at: string;
    /**
     * `cancel`: it first cancels earlier runs, and then starts.
     */
    outcome: 'start' | 'skip' | 'queue' | 'cancel' | 'paused';
    /**
     * The reason why it would not start normally.
     */
    reason?: string;
  }[];
  /**
   * Queued due times, soonest first; at most 100.
   */
  waiting: {
    due: string;
    since: string;
    backfill: boolean;
    /**
     * The ID of its event. Absent if the event is recorded only when the due time starts.
     */
    event?: string;
    reason: string;
  }[];
  /**
   * The newest due times that were skipped, newest first; at most 20.
   */
  skipped: {
    due: string;
    at: string;
    reason: string;
  }[];
}
