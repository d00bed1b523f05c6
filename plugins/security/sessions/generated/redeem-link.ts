// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface RedeemLink {
  /**
   * The part after the `#` of the link.
   */
  code: string;
}
