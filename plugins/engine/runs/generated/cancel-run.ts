// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface CancelRunBody {
  /**
   * Shown with the run; the run's event contains its last 4000 characters.
   */
  reason?: string;
}
