// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface Whoami {
  user: {
    id: string;
    name: string;
  };
  token: {
    id: string;
    name: string;
    kind: 'user' | 'agent';
    expires_at?: string;
  };
  orgs: {
    org: string;
    role: 'member' | 'owner';
    projects: {
      project: string;
      role: 'viewer' | 'member' | 'admin';
    }[];
  }[];
}
