// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ClaimedUploadQuery {
  /**
   * The epoch of the claim.
   */
  epoch: number;
  /**
   * The digest of the complete file.
   */
  digest: string;
  /**
   * The size of the complete file, in bytes.
   */
  size: number;
}
