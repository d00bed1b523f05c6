// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ChainQuery {
  /**
   * How much of what came of it is shown.
   */
  limit?: number;
}
