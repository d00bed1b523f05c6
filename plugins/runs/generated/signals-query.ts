// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface SignalsQuery {
  /**
   * Only those in this state.
   */
  state?: 'queued' | 'taken';
  limit?: number;
  /**
   * `next_cursor` of the page before.
   */
  cursor?: string;
}
