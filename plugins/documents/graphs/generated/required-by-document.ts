// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface DocumentRequirementsBody {
  /**
   * A graph, saved or not.
   */
  document: {
    [k: string]: unknown;
  };
}
