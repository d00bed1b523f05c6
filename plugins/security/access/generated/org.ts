// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface Org {
  org: string;
  role: 'member' | 'owner';
  created_at: string;
}
