// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface MissingContents {
  /**
   * Digests of content that the project does not have.
   */
  missing: string[];
}
