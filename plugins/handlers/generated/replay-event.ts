// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * To which handler an event is delivered again.
 */
export interface ReplayEventBody {
  /**
   * The name of the handler. One of its patterns must fit the type of the event.
   */
  handler: string;
  /**
   * Whatever its predicate says. Default false: the predicate is judged again, as it is now.
   */
  force?: boolean;
}
