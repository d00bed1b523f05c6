// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface PutVariable {
  /**
   * Text of at most 64 KiB without NUL. It may be empty.
   */
  value: string;
}
