// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface IdTokenQuery {
  /**
   * The epoch of the claim.
   */
  epoch: number;
}
