// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The metadata that verifiers of ID tokens read first (OpenID Connect Discovery 1.0).
 */
export interface IssuerMetadata {
  /**
   * The `iss` claim of every token: `SVC_PUBLIC_URL`.
   */
  issuer: string;
  /**
   * Where the public keys are.
   */
  jwks_uri: string;
  response_types_supported: string[];
  subject_types_supported: string[];
  id_token_signing_alg_values_supported: string[];
  scopes_supported: string[];
  claims_supported: string[];
}
