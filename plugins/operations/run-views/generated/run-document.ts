// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A run's document. Secret values are masked.
 */
export interface RunDocument {
  run_id: string;
  kind: string;
  workflow: string;
  filename?: string;
  /**
   * The stored document that started the run; absent if the run was submitted with its text.
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
   * Files included with the script, sorted by path; absent if there are none.
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
