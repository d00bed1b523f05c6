// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An invitation as those see it who may withdraw it. The user is no member yet.
 */
export interface MemberInvitation {
  status: 'invited';
  user: string;
  role: 'viewer' | 'member' | 'admin' | 'owner';
  /**
   * The user who made it.
   */
  invited_by: string;
  created_at: string;
  /**
   * It ends then by itself.
   */
  expires_at: string;
}
