// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface UploadQuery {
  /**
   * The digest of the complete file.
   */
  digest: string;
  /**
   * The size of the complete file, in bytes.
   */
  size: number;
}
