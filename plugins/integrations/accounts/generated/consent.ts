// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ConsentView {
  /**
   * Where the person grants access.
   */
  authorize_url: string;
}
