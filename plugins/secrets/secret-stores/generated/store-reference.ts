// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The location of a value in a secret store.
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
   * The member of the secret, if the secret is an object. Without it, the value is the entire text.
   */
  field?: string;
}
