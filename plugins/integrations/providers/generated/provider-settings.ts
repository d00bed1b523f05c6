// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * One entry of SVC_CONNECTED_ACCOUNT_PROVIDERS. Which members it needs depends on `grants`.
 */
export interface ProviderSettings {
  /**
   * 1 to 63 letters, digits, _ and -.
   */
  name: string;
  /**
   * The preset that provides the other members (`svc provider presets`); members of this entry override it.
   */
  preset?: string;
  /**
   * The displayed name; default: `name`.
   */
  title?: string;
  /**
   * Its documentation.
   */
  docs_url?: string;
  /**
   * How accounts get their tokens: by a person's consent (the default), or with their own client and without a person.
   *
   * @minItems 1
   * @maxItems 3
   */
  grants?:
    | ['authorization_code' | 'client_credentials' | 'jwt_bearer']
    | [
        'authorization_code' | 'client_credentials' | 'jwt_bearer',
        'authorization_code' | 'client_credentials' | 'jwt_bearer'
      ]
    | [
        'authorization_code' | 'client_credentials' | 'jwt_bearer',
        'authorization_code' | 'client_credentials' | 'jwt_bearer',
        'authorization_code' | 'client_credentials' | 'jwt_bearer'
      ];
  /**
   * The address at which a person grants access. Its query is kept.
   */
  authorize_url?: string;
  token_url: string;
  /**
   * RFC 7009. If set, removing an account also ends its grant.
   */
  revoke_url?: string;
  /**
   * The exact `iss` of its responses (RFC 9207). Without it, `iss` must have the origin of authorize_url or token_url.
   */
  issuer?: string;
  client_id?: string;
  /**
   * The secret itself, `@file`, or `env:NAME` for another variable.
   */
  client_secret?: string;
  /**
   * How the client authenticates: in the Authorization header (the default), or in the body.
   */
  token_endpoint_auth?: 'basic' | 'post';
  /**
   * @maxItems 200
   */
  scopes?: string[];
  capabilities?: {
    /**
     * Whether a successful renewal invalidates the old refresh token.
     */
    rotates_refresh_token: boolean;
    /**
     * Whether the provider revokes the entire grant if a replaced refresh token is used.
     */
    reuse_revokes_family: boolean;
  };
  identity?: {
    /**
     * Returns the user of the token as JSON.
     */
    url: string;
    /**
     * JSON pointer to an ID that never changes.
     */
    id_pointer: string;
    /**
     * JSON pointer to a readable label; default: the ID.
     */
    label_pointer?: string;
  };
  /**
   * The address that `svc account test` requests with a token; default: `identity.url`.
   */
  test_url?: string;
  /**
   * The lifetime of access tokens whose expiry the provider does not report.
   */
  assumed_lifetime_secs?: number;
}
