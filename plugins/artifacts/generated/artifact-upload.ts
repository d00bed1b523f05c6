// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * How much of an upload is stored.
 */
export interface ArtifactUpload {
  /**
   * Where the upload continues. 0 when nothing is stored.
   */
  offset: number;
}
