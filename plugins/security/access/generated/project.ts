// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface Project {
  project: string;
  org: string;
  role: 'viewer' | 'member' | 'admin';
  created_at: string;
}
