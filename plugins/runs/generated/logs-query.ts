// Generated from the JSON Schema of the same name by kernel/schema/generate.ts. Do not edit.

export interface LogsQuery {
  /**
   * `true` answers server-sent events until the run is final.
   */
  follow?: 'true' | 'false';
}
