// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An event that is on record.
 */
export interface TestHandlerBody {
  /**
   * Its id.
   */
  event: string;
}
