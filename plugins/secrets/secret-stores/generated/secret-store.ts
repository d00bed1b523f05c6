// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A secret store without its login.
 */
export interface SecretStore {
  name: string;
  kind: 'vault' | 'aws' | 'gcp';
  url: string;
  /**
   * Of a Vault: the path of the KV engine.
   */
  mount?: string;
  /**
   * Of a Vault: the version of the KV engine.
   */
  kv_version?: number;
  namespace?: string;
  region?: string;
  project?: string;
  set_at: string;
}
