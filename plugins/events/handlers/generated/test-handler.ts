// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A recorded or a made-up event.
 */
export interface TestHandlerBody {
  /**
   * The ID of a recorded event; it excludes all other members.
   */
  event?: string;
  /**
   * The payload of a made-up event.
   */
  payload?: null | boolean | number | string | unknown[] | {};
  /**
   * Its type. Absent: the first of the handler's patterns that is not a prefix.
   */
  type?: string;
  /**
   * Its subject.
   */
  key?: string;
  /**
   * Default true.
   */
  trusted?: boolean;
}
