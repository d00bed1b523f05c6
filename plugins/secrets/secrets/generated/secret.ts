// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface Secret {
  name: string;
  value: string;
  set_at: string;
}
