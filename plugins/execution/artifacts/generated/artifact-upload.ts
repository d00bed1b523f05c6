// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The stored part of an upload.
 */
export interface ArtifactUpload {
  /**
   * Where the upload continues. 0 when nothing is stored.
   */
  offset: number;
}
