// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface SignalsQuery {
  /**
   * Only signals in this state.
   */
  state?: 'queued' | 'taken';
  limit?: number;
  /**
   * `next_cursor` of the previous page.
   */
  cursor?: string;
}
