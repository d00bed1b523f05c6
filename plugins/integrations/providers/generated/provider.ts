// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ProviderView {
  name: string;
  title: string;
  docs_url?: string;
  /**
   * The scopes that a new grant requests.
   */
  scopes: string[];
  capabilities: {
    rotates_refresh_token: boolean;
    reuse_revokes_family: boolean;
  };
  /**
   * Removing an account also ends its grant there.
   */
  ends_grants: boolean;
  assumed_lifetime_secs?: number;
}
