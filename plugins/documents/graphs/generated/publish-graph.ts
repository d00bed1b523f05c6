// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The version to publish.
 */
export interface PublishGraph {
  /**
   * Absent: the latest.
   */
  version_number?: number;
}
