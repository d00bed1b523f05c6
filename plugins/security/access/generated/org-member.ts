// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface OrgMember {
  user: string;
  role: 'member' | 'owner';
  created_at: string;
}
