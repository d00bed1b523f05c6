// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface PutSecret {
  /**
   * Text of 4 characters to 48 KiB without NUL.
   */
  value: string;
}
