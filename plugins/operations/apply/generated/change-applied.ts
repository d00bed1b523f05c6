// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Names of objects to mark as applied, and of objects whose marks to remove.
 */
export interface ChangeApplied {
  /**
   * @maxItems 500
   */
  add?: string[];
  /**
   * @maxItems 500
   */
  remove?: string[];
}
