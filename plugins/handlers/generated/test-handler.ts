// Generated from the JSON Schema of the same name by kernel/schema/generate.ts. Do not edit.

/**
 * An event that is on record.
 */
export interface TestHandlerBody {
  /**
   * Its id.
   */
  event: string;
}
