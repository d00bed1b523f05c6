// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ProviderView {
  name: string;
  title: string;
  docs_url?: string;
  /**
   * How an account gets its tokens. Only `authorization_code` needs a person.
   */
  grants: ('authorization_code' | 'client_credentials' | 'jwt_bearer')[];
  /**
   * The scopes that a new grant requests.
   */
  scopes: string[];
  /**
   * How it handles refresh tokens; absent if no account of it has one.
   */
  capabilities?: {
    rotates_refresh_token: boolean;
    reuse_revokes_family: boolean;
  };
  /**
   * Removing an account also ends its grant there.
   */
  ends_grants: boolean;
  assumed_lifetime_secs?: number;
}
