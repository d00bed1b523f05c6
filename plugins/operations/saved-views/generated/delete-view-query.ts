// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface DeleteViewQuery {
  /**
   * `true`: removes your private view. Otherwise: the view of the project.
   */
  private?: boolean;
}
