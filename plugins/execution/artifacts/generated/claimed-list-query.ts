// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ClaimedListQuery {
  /**
   * The epoch of the claim.
   */
  epoch: number;
  limit?: number;
  /**
   * `next_cursor` of the previous page.
   */
  cursor?: string;
  /**
   * Only paths with this prefix.
   */
  prefix?: string;
}
