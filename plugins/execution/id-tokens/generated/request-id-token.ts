// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface RequestIdToken {
  /**
   * The `aud` claim: the system that accepts the token. A token has one audience.
   */
  audience: string;
  /**
   * How long the token is valid. The default is 10 minutes.
   */
  lifetime_ms?: number;
}
