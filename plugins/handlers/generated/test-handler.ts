// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An event that is on record, or one that is made up.
 */
export interface TestHandlerBody {
  /**
   * The id of one on record; then nothing else is given.
   */
  event?: string;
  /**
   * The payload of a made-up event.
   */
  payload?: null | boolean | number | string | unknown[] | {};
  /**
   * Its type. Absent: the first of the handler's patterns that is no prefix.
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
