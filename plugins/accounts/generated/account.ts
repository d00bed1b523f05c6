// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface AccountView {
  name: string;
  provider: string;
  /**
   * The account on the provider.
   */
  account: {
    id: string;
    label: string;
  };
  status: 'active' | 'refreshing' | 'needs_reauth' | 'in_doubt' | 'disabled';
  status_since: string;
  /**
   * Why it has its status, in plain words.
   */
  reason?: string;
  /**
   * Who granted it.
   */
  granter: string;
  /**
   * What was granted.
   */
  scopes: string[];
  /**
   * What was asked for and not granted.
   */
  scopes_missing: string[];
  granted_at: string;
  /**
   * When its access token ends; absent when nobody says.
   */
  expires_at?: string;
  renewed_at?: string;
  /**
   * `none`: the provider gave no refresh token. `unknown_lifetime`: it does not say when the token ends.
   */
  renewal: 'automatic' | 'none' | 'unknown_lifetime';
  last_used_at?: string;
  /**
   * The run.
   */
  last_used_by?: string;
  last_error?: string;
  /**
   * Its place on the Connections page, where it is connected again.
   */
  connect_url: string;
}
