// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Whether the store has a usable value. The value is never shown.
 */
export interface SecretStoreTest {
  ok: boolean;
  /**
   * With `ok: false`: the error that a run would get.
   */
  code?: string;
  message?: string;
}
