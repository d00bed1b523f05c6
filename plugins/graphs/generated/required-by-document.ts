// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface DocumentRequirementsBody {
  /**
   * A graph that need not be saved.
   */
  document: {
    [k: string]: unknown;
  };
}
