// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Either `value` or `from`.
 */
export interface PutSecret {
  /**
   * Text of 4 characters to 48 KiB without NUL.
   */
  value?: string;
  /**
   * The location of the value in a secret store. svc reads the value when it is used.
   */
  from?: {
    store: string;
    path: string;
    field?: string;
  };
}
