// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface SaveCache {
  /**
   * The key of the cache.
   */
  key: string;
  /**
   * A complete upload of the activity.
   */
  upload_id: string;
}
