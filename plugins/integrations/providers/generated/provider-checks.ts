// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ProviderChecks {
  checks: {
    provider: string;
    endpoint: 'authorize_url' | 'token_url' | 'identity.url' | 'revoke_url' | 'redirect_uri';
    ok: boolean;
    /**
     * Its response, or what is wrong and what to do.
     */
    says: string;
  }[];
}
