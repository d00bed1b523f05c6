// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What is wrong with files that were added or changed while the server runs; at most 50. Their last valid versions stay in use.
 *
 * @maxItems 50
 */
export type ConnectorProblems = {
  /**
   * The name of the file, with that of its folder.
   */
  file: string;
  pointer: string;
  message: string;
  rule: string;
  fix: string;
}[];
