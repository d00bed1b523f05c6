// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * When a schedule is due next, whether it is paused or not.
 */
export interface NextDue {
  name: string;
  cron: string;
  timezone: string;
  paused: boolean;
  next: string[];
}
