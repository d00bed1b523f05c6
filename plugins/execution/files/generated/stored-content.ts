// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface StoredContent {
  /**
   * `sha256:<hex>`.
   */
  digest: string;
  /**
   * Bytes.
   */
  size: number;
}
