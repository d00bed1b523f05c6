// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface MissingContents {
  /**
   * Digests of which the project has no content.
   */
  missing: string[];
}
