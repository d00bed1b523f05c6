// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Which dead letters are dismissed.
 */
export interface DismissDeadLettersBody {
  /**
   * Only of this handler.
   */
  handler?: string;
  /**
   * Only of events of this type.
   */
  type?: string;
  /**
   * Only deliveries that failed before a time, or before a duration ago.
   */
  before?: string;
}
