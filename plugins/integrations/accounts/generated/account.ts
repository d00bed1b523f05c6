// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface AccountView {
  name: string;
  provider: string;
  /**
   * How it gets its tokens: by a person's consent, or with its own client and without a person.
   */
  grant: 'authorization_code' | 'client_credentials' | 'jwt_bearer';
  /**
   * The account at the provider.
   */
  account: {
    id: string;
    label: string;
  };
  status: 'active' | 'refreshing' | 'needs_reauth' | 'in_doubt' | 'disabled';
  status_since: string;
  /**
   * The reason for its status.
   */
  reason?: string;
  /**
   * Who granted or connected it.
   */
  granter: string;
  /**
   * The granted scopes.
   */
  scopes: string[];
  /**
   * Scopes that were requested but not granted.
   */
  scopes_missing: string[];
  granted_at: string;
  /**
   * When its access token expires; absent if unknown.
   */
  expires_at?: string;
  renewed_at?: string;
  /**
   * `none`: the provider gave no refresh token. `unknown_lifetime`: the provider does not report when the token expires.
   */
  renewal: 'automatic' | 'none' | 'unknown_lifetime';
  last_used_at?: string;
  /**
   * The run.
   */
  last_used_by?: string;
  last_error?: string;
  /**
   * The address on the Connections page for reconnecting the account.
   */
  connect_url: string;
}
