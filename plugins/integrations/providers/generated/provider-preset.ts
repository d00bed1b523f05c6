// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What is known about a public provider: an entry of SVC_CONNECTED_ACCOUNT_PROVIDERS without the operator's client.
 */
export interface ProviderPreset {
  preset: string;
  title: string;
  /**
   * The provider's public documentation.
   */
  source: string;
  /**
   * What has not been confirmed: `endpoints` (`authorize_url` and `token_url`) by a second public list of providers; `identity` (with `revoke_url`) and `capabilities` by the source. Assumed capabilities have the safe values.
   */
  assumed: ('endpoints' | 'identity' | 'capabilities')[];
  /**
   * svc always sends a challenge (S256).
   */
  pkce: 'required' | 'supported' | 'unknown';
  settings: {
    /**
     * The address at which a person grants access. Its query is kept.
     */
    authorize_url: string;
    token_url: string;
    /**
     * RFC 7009. If set, removing an account also ends its grant.
     */
    revoke_url?: string;
    /**
     * How the client authenticates: in the Authorization header (the default), or in the body.
     */
    token_endpoint_auth?: 'basic' | 'post';
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
     * @maxItems 200
     */
    scopes: string[];
    capabilities: {
      /**
       * Whether a successful renewal invalidates the old refresh token.
       */
      rotates_refresh_token: boolean;
      /**
       * Whether the provider revokes the entire grant if a replaced refresh token is used.
       */
      reuse_revokes_family: boolean;
    };
    identity: {
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
     * The lifetime of access tokens whose expiry the provider does not report.
     */
    assumed_lifetime_secs?: number;
    /**
     * The exact `iss` of its responses (RFC 9207). Without it, `iss` must have the origin of authorize_url or token_url.
     */
    issuer?: string;
    /**
     * The address that `svc account test` requests with a token; default: `identity.url`.
     */
    test_url?: string;
  };
}
