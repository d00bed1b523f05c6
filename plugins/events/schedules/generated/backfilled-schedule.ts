// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A stored backfill. Its due times start from now on.
 */
export interface BackfilledSchedule {
  name: string;
  from: string;
  to: string;
  /**
   * The number of due times in the range.
   */
  due_times: number;
  /**
   * The number of due times that were added. The others have already started or are queued, and do not start again.
   */
  added: number;
}
