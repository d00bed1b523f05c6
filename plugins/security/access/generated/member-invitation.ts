// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An invitation as shown to users who can withdraw it. The user is not yet a member.
 */
export interface MemberInvitation {
  status: 'invited';
  user: string;
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
