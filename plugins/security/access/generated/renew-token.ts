// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface TokenRenewal {
  /**
   * Whole seconds from now, or a duration such as `7d`.
   */
  expires_in: number | string;
}
