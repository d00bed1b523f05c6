// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * SVC_OIDC_ROLES: which value of a claim gives which roles.
 */
export interface RoleMap {
  /**
   * Its name, or a JSON pointer to it: `/realm_access/roles`. A text, or a list of texts.
   */
  claim: string;
  map: {
    [k: string]: MappedRole | MappedRole[];
  };
}
export interface MappedRole {
  org: string;
  /**
   * `*`: all projects that the org has when the person signs in. Absent: the role is one of the org.
   */
  project?: string;
  role: 'owner' | 'member' | 'admin' | 'viewer';
}
