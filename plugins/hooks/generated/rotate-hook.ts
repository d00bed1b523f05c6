// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface RotateHook {
  /**
   * The new signing key, of hooks whose deliveries are signed. A shared token is made by the service.
   */
  key?: string;
}
