// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An object that `svc apply` has created, or found and now manages.
 */
export interface AppliedObject {
  /**
   * The folder of its file: `handlers`.
   */
  kind: string;
  name: string;
  applied_at: string;
  /**
   * The name of the user who applied it.
   */
  applied_by?: string;
}
