// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A file of an activity as it was stored.
 */
export interface StagedArtifact {
  /**
   * Names with `/` between them.
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
   * With `stage`: what the call of the script names.
   */
  upload_id?: string;
  /**
   * Of an artifact.
   */
  created_at?: string;
}
