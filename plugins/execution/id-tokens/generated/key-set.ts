// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The public keys of ID tokens (RFC 7517).
 */
export interface KeySet {
  keys: {
    kty: 'RSA';
    use: 'sig';
    alg: 'RS256';
    /**
     * The thumbprint of the key (RFC 7638).
     */
    kid: string;
    n: string;
    e: string;
  }[];
}
