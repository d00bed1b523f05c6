// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ListArtifactsQuery {
  limit?: number;
  /**
   * `next_cursor` of the page before.
   */
  cursor?: string;
  /**
   * Only paths that begin like this.
   */
  prefix?: string;
}
