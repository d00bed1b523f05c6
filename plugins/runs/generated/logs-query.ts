// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface LogsQuery {
  /**
   * `true` answers server-sent events until the run is final.
   */
  follow?: 'true' | 'false';
  /**
   * `true` begins each line with its time. Events of a followed log have it as `at` in any case.
   */
  timestamps?: 'true' | 'false';
}
