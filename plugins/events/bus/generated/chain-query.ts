// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ChainQuery {
  /**
   * The maximum number of effects to return.
   */
  limit?: number;
}
