// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface DeclaredInputs {
  /**
   * JSON Schema 2020-12 with all short forms expanded. Absent if the workflow takes any input.
   */
  schema?:
    | {
        [k: string]: unknown;
      }
    | boolean;
}
