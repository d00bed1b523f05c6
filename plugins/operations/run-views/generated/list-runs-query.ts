// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ListRunsQuery {
  /**
   * One status, or several separated by commas.
   */
  status?: string;
  /**
   * `true`: only paused runs. `false`: only runs that are not paused.
   */
  paused?: boolean;
  /**
   * Runs with this tag.
   */
  tag?: string;
  /**
   * Runs of the workflow with this name.
   */
  workflow?: string;
  /**
   * Runs with this subject.
   */
  subject?: string;
  /**
   * Runs with this cause: an event type, `manual` or `spawn`, or `handler:<name>`, `schedule:<name>`, `event:<id>` or `run:<id>`.
   */
  trigger?: string;
  /**
   * Runs created before this time (ISO 8601), or longer ago than this duration (`2h`).
   */
  until?: string;
  /**
   * Runs created at or after this time (ISO 8601), or within this duration (`2h`).
   */
  since?: string;
  limit?: number;
  /**
   * `next_cursor` of the previous page.
   */
  cursor?: string;
}
