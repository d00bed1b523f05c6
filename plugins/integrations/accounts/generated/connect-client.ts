// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ConnectClientAccount {
  provider: string;
  grant: 'client_credentials' | 'jwt_bearer';
  /**
   * The client at the provider: for `jwt_bearer`, the `iss` of its assertions. Optional if `private_key` is a JSON key file that contains it.
   */
  client_id?: string;
  /**
   * For `client_credentials`.
   */
  client_secret?: string;
  /**
   * For `jwt_bearer`: a private key in PEM, or a JSON key file with `private_key`, `client_email` and `private_key_id`.
   */
  private_key?: string;
  /**
   * For `jwt_bearer`: the `kid` of its assertions.
   */
  key_id?: string;
  /**
   * For `jwt_bearer`; default: the usual algorithm for the key.
   */
  algorithm?: 'RS256' | 'RS384' | 'RS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA';
  /**
   * For `jwt_bearer`: the subject that the token acts as (`sub`); default: the client.
   */
  subject?: string;
  /**
   * For `jwt_bearer`: the `aud` of its assertions; default: the token endpoint. For `client_credentials`: the `audience` parameter.
   */
  audience?: string;
  /**
   * Default: the scopes of the provider.
   *
   * @maxItems 200
   */
  scopes?: string[];
  /**
   * For `jwt_bearer`: how long an assertion is valid; default: 300.
   */
  lifetime_secs?: number;
}
