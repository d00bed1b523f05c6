// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ClaimedUploadQuery {
  /**
   * Of the claim.
   */
  epoch: number;
  /**
   * Of the whole file.
   */
  digest: string;
  /**
   * Of the whole file, in bytes.
   */
  size: number;
}
