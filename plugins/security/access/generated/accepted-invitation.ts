// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface AcceptedInvitation {
  org: string;
  /**
   * Absent for the org itself.
   */
  project?: string;
  role: 'viewer' | 'member' | 'admin' | 'owner';
  /**
   * False if the current token is limited to another org. An owner of this org can create a token for this org.
   */
  token_reaches: boolean;
}
