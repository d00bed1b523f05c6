// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An activity's stored file.
 */
export interface StagedArtifact {
  /**
   * Names separated by `/`.
   */
  path: string;
  /**
   * Bytes.
   */
  size: number;
  /**
   * `sha256:` and 64 hex digits.
   */
  digest: string;
  /**
   * With `stage`: the ID that the script's call uses to publish it.
   */
  upload_id?: string;
  /**
   * When the artifact was stored.
   */
  created_at?: string;
}
