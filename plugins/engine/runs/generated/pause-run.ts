// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface PauseRunBody {
  /**
   * Shown with the run while it is paused.
   */
  reason?: string;
}
