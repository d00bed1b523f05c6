// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The handler to deliver the event to.
 */
export interface ReplayEventBody {
  /**
   * The name of the handler. One of its patterns must match the event's type.
   */
  handler: string;
  /**
   * Whether to ignore the predicate. By default, the current predicate is evaluated.
   */
  force?: boolean;
}
