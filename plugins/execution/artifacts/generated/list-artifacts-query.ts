// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ListArtifactsQuery {
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
