// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface PutSecretStore {
  kind: 'vault' | 'aws' | 'gcp';
  /**
   * Required for `vault`. Other kinds have a default.
   */
  url?: string;
  /**
   * For `vault`: the path of the KV engine. Default `secret`.
   */
  mount?: string;
  /**
   * For `vault`: the version of the KV engine. Default 2.
   */
  kv_version?: 1 | 2;
  /**
   * For `vault`: the namespace.
   */
  namespace?: string;
  /**
   * For `aws`.
   */
  region?: string;
  /**
   * For `gcp`: the project of the secrets. Default: the project of the service account.
   */
  project?: string;
  /**
   * For `vault`, token or role_id and secret_id; for `aws`, access_key_id and secret_access_key; for `gcp`, service_account.
   */
  login: {
    token?: string;
    role_id?: string;
    secret_id?: string;
    access_key_id?: string;
    secret_access_key?: string;
    /**
     * The JSON key of a service account.
     */
    service_account?: string;
  };
}
