/** A role, and what it is called where it is chosen. */
export type Roles = readonly (readonly [string, string])[];

export const OF_PROJECT: Roles = [
  ['viewer', 'Viewer: sees runs'],
  ['member', 'Member: runs workflows, reads secrets'],
  ['admin', 'Admin: changes the project'],
];

export const OF_ORG: Roles = [
  ['member', 'Member: what their projects allow'],
  ['owner', 'Owner: everything'],
];

/** `Viewer`. */
export const roleName = (role: string): string => role.charAt(0).toUpperCase() + role.slice(1);
