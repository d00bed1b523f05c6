// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface CancelRunBody {
  /**
   * Shown with the run; its last 4000 characters are announced.
   */
  reason?: string;
}
