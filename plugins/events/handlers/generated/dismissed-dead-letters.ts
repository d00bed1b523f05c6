// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The result of dismissing dead letters.
 */
export interface DismissedDeadLetters {
  /**
   * How many were dismissed, at most 1,000.
   */
  dismissed: number;
  /**
   * False: there are more; repeat the request.
   */
  complete: boolean;
}
