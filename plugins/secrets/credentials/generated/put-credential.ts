// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A kind and its fields.
 */
export interface PutCredential {
  /**
   * bearer, api_key, basic or url_token.
   */
  kind: string;
  /**
   * For `bearer` and `url_token`.
   */
  token?: string;
  /**
   * For `api_key`: the name of the header.
   */
  header?: string;
  /**
   * For `api_key`: the key.
   */
  value?: string;
  /**
   * For `basic`; without a colon.
   */
  username?: string;
  /**
   * For `basic`.
   */
  password?: string;
  /**
   * The only hosts that requests can send it to: names, IP addresses, or `*.` and a domain. Jobs cannot get such a credential.
   *
   * @minItems 1
   * @maxItems 50
   */
  hosts?: [string, ...string[]];
  /**
   * Instead of the secret field (the token, value or password): where it is in a secret store. svc reads it when it is used.
   */
  from?: {
    store: string;
    path: string;
    field?: string;
  };
}
