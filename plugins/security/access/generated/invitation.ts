// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An invitation as shown to the invited user.
 */
export interface Invitation {
  id: string;
  org: string;
  /**
   * Absent if the invitation is to the org itself.
   */
  project?: string;
  role: 'viewer' | 'member' | 'admin' | 'owner';
  /**
   * The user who created it.
   */
  invited_by: string;
  created_at: string;
  /**
   * When it expires.
   */
  expires_at: string;
}
