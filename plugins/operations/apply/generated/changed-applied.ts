// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ChangedApplied {
  /**
   * The number of objects that were not marked before.
   */
  added: number;
  /**
   * The number of objects that were marked before.
   */
  removed: number;
}
