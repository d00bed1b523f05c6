// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface SecretEntry {
  name: string;
  set_at: string;
  /**
   * Where the value is in a secret store. svc reads it when it is used.
   */
  from?: {
    store: string;
    path: string;
    field?: string;
  };
}
