// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface CacheQuery {
  /**
   * The epoch of the claim.
   */
  epoch: number;
  /**
   * The key of the cache.
   */
  key: string;
  /**
   * If true, the response describes the newest cache whose key begins with `key`.
   */
  prefix?: boolean;
}
