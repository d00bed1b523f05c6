// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * How a dead letter is delivered again.
 */
export interface RedeliverBody {
  /**
   * Whether to ignore the predicate. By default, the current predicate is evaluated.
   */
  force?: boolean;
}
