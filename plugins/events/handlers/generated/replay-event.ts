// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The handler that gets the event again.
 */
export interface ReplayEventBody {
  /**
   * The name of the handler. One of its patterns must match the event's type.
   */
  handler: string;
  /**
   * Ignores the predicate. Default false: the current predicate is evaluated.
   */
  force?: boolean;
}
