// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface Token {
  id: string;
  name: string;
  kind: 'user' | 'agent';
  user?: string;
  org?: string;
  project?: string;
  role?: 'viewer' | 'member' | 'admin';
  created_at: string;
  expires_at?: string;
  last_used_at?: string;
}
