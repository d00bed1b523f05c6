// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The next due time of a schedule, even if it is paused.
 */
export interface NextDue {
  name: string;
  cron: string;
  timezone: string;
  paused: boolean;
  next: string[];
}
