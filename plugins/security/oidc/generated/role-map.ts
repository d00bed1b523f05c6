// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * SVC_OIDC_ROLES: assigns roles to the values of a claim.
 */
export interface RoleMap {
  /**
   * The claim's name, or a JSON pointer to it, such as `/realm_access/roles`. A string, or a list of strings.
   */
  claim: string;
  map: {
    [k: string]: MappedRole | MappedRole[];
  };
}
export interface MappedRole {
  org: string;
  /**
   * `*` means all projects that the org has at the time of the sign-in. By default, the role applies to the org.
   */
  project?: string;
  role: 'owner' | 'member' | 'admin' | 'viewer';
}
