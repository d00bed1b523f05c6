// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Names of objects that are now applied, and of objects that no longer are.
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
