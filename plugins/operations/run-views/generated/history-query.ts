// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface HistoryQuery {
  limit?: number;
  /**
   * `next_cursor` of the previous page.
   */
  cursor?: string;
}
