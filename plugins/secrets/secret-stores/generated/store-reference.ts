// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Where a value is in a secret store.
 */
export interface StoreReference {
  /**
   * The name of the secret store.
   */
  store: string;
  /**
   * The path of the secret below the mount of a Vault, or the name of a secret of AWS or Google Cloud.
   */
  path: string;
  /**
   * The member of the secret, if it is an object. Without it, the whole text.
   */
  field?: string;
}
