// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface AskedContents {
  /**
   * @maxItems 1000
   */
  digests: string[];
}
