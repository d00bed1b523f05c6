// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface DocumentRequirementsBody {
  /**
   * A graph, which can be unsaved.
   */
  document: {
    [k: string]: unknown;
  };
}
