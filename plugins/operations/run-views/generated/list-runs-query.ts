// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ListRunsQuery {
  /**
   * The name of a saved view. Its filter applies, and each other filter of this query replaces the same one of the view.
   */
  view?: string;
  /**
   * One status, or several, separated by commas.
   */
  status?: string;
  /**
   * `true`: only paused runs. `false`: only runs that are not paused.
   */
  paused?: boolean;
  /**
   * Only runs with this tag.
   */
  tag?: string;
  /**
   * Only runs of the workflow with this name.
   */
  workflow?: string;
  /**
   * Only runs with this subject.
   */
  subject?: string;
  /**
   * Only runs with this cause: an event type, `manual` or `spawn`, or `handler:<name>`, `schedule:<name>`, `event:<id>` or `run:<id>`.
   */
  trigger?: string;
  /**
   * Only runs created before this time (ISO 8601), or longer ago than this duration (`2h`).
   */
  until?: string;
  /**
   * Only runs created at or after this time (ISO 8601), or within this duration before now (`2h`).
   */
  since?: string;
  /**
   * Only runs that have ended and have all of these words in their output or in the output of a step.
   */
  output?: string;
  /**
   * Only runs that have ended and have all of these words in their error or cancellation reason.
   */
  error?: string;
  /**
   * Only runs that have ended and have a step, job or node with this name.
   */
  step?: string;
  /**
   * Only runs that have ended and use this account or credential, in the submission or in the document.
   */
  account?: string;
  limit?: number;
  /**
   * `next_cursor` of the previous page.
   */
  cursor?: string;
}
