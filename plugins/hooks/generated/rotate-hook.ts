// Generated from the JSON Schema of the same name by kernel/schema/generate.ts. Do not edit.

export interface RotateHook {
  /**
   * The new signing key, of hooks whose deliveries are signed. A shared token is made by the service.
   */
  key?: string;
}
