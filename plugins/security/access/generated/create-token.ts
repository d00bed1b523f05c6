// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface TokenRequest {
  name: string;
  kind?: 'user' | 'agent';
  org?: string;
  project?: string;
  role?: 'viewer' | 'member' | 'admin';
  user?: string;
  /**
   * Whole seconds, or a duration such as `30d`. By default, the token never expires, or expires with the token that creates it.
   */
  expires_in?: number | string;
}
