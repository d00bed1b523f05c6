// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ConsentView {
  /**
   * The address where the user grants access.
   */
  authorize_url: string;
}
