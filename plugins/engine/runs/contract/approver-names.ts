/** Roles that stand for everybody who has them, or a higher one. */
export const APPROVER_ROLES = ['member', 'admin', 'owner'] as const;
export type ApproverRole = (typeof APPROVER_ROLES)[number];

export const isRole = (approver: string): approver is ApproverRole =>
  (APPROVER_ROLES as readonly string[]).includes(approver);

/** `ana, anyone with the admin role`. */
export function describeApprovers(approvers: readonly string[] | undefined): string {
  if (approvers === undefined) return 'every member of the project';
  return approvers.map((one) => (isRole(one) ? `anyone with the ${one} role` : one)).join(', ');
}
