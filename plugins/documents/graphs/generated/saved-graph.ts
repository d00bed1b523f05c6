// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The result of saving a graph.
 */
export interface SavedGraph {
  name: string;
  /**
   * Counted from 1. An unchanged document does not create a new version.
   */
  version_number: number;
  /**
   * Problems that would currently make a submission fail, and likely mistakes.
   */
  warnings: string[];
}
