// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The document that a run carries out. Secret values are masked.
 */
export interface RunDocument {
  run_id: string;
  kind: string;
  workflow: string;
  filename?: string;
  /**
   * The stored document that the run was started by; absent: its text was given.
   */
  stored?: {
    /**
     * `graph` or `node`.
     */
    form: string;
    name: string;
    version?: number;
  };
  /**
   * The text of the document.
   */
  source: string;
  /**
   * What lies beside the script when it runs, in the order of the paths; absent: nothing.
   */
  files?: {
    path: string;
    /**
     * `sha256:<hex>` of its content.
     */
    digest: string;
    /**
     * Bytes.
     */
    size: number;
    executable?: boolean;
  }[];
}
