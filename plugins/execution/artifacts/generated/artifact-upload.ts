// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The stored part of an upload.
 */
export interface ArtifactUpload {
  /**
   * The offset at which the upload continues; 0 if nothing is stored.
   */
  offset: number;
}
