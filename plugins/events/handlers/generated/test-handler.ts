// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A recorded event or a sample event.
 */
export interface TestHandlerBody {
  /**
   * The ID of a recorded event; no other member is allowed with it.
   */
  event?: string;
  /**
   * The payload of a sample event.
   */
  payload?: null | boolean | number | string | unknown[] | {};
  /**
   * Type of the sample event. Default: the first of the handler's patterns that is not a prefix.
   */
  type?: string;
  /**
   * Subject of the sample event.
   */
  key?: string;
  /**
   * Default true.
   */
  trusted?: boolean;
}
