// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface SavedCache {
  /**
   * False if the key already existed; the existing cache is unchanged.
   */
  saved: boolean;
}
