// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface SecretEntry {
  name: string;
  set_at: string;
  /**
   * The location of the value in a secret store. svc reads the value when it is used.
   */
  from?: {
    store: string;
    path: string;
    field?: string;
  };
}
