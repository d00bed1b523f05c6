// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A file of a run.
 */
export interface ArtifactView {
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
  created_at: string;
}
