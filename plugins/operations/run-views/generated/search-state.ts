// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * How much of the project the index of runs covers. Present if `output`, `error`, `step` or `account` is set.
 */
export interface SearchState {
  /**
   * False while runs that have ended are missing from the index.
   */
  complete: boolean;
  /**
   * Runs that have ended and were created before this time are not in the index yet.
   */
  indexed_from?: string;
  /**
   * Runs that ended after this time are not in the index yet.
   */
  indexed_until?: string;
}
