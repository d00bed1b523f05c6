// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface TestSecretStore {
  path: string;
  field?: string;
}
