// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An ID token of a run. The service does not store it.
 */
export interface IssuedIdToken {
  /**
   * A signed JWT (RS256).
   */
  token: string;
  /**
   * Parts of the token that the agent masks, in addition to the entire token.
   */
  masks: string[];
  /**
   * How long the agent masks them.
   */
  masked_ms: number;
}
