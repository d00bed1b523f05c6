// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface CacheView {
  /**
   * The key of the cache.
   */
  key: string;
  /**
   * If false, only untrusted runs use it.
   */
  trusted: boolean;
  /**
   * The archive's size in bytes.
   */
  size: number;
  digest: string;
  /**
   * The run that saved it.
   */
  run_id: string;
  created_at: string;
  /**
   * The last recorded use, accurate to the hour.
   */
  used_at: string;
}
