// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What has become of a saved graph.
 */
export interface SavedGraph {
  name: string;
  /**
   * From 1. The same document as the latest version makes no new one.
   */
  version_number: number;
  /**
   * What will refuse a submit as things are now, and what is probably meant otherwise.
   */
  warnings: string[];
}
