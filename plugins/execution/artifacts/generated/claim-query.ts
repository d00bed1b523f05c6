// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ClaimQuery {
  /**
   * The epoch of the claim.
   */
  epoch: number;
  /**
   * Upload only; a call of the script publishes it.
   */
  stage?: boolean;
}
