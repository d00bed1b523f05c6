import type { Queries } from '../../../../kernel/contracts/index.ts';
import type { Grant, RoleScope, Role } from '../domain/role-changes.ts';

interface GrantRow {
  org_id: string;
  project_id: string;
  role: Role;
  before_role: Role | null;
}

export async function grantsOf(on: Pick<Queries, 'read'>, user_id: string): Promise<Grant[]> {
  const rows = await on.read<GrantRow>(
    'SELECT org_id, project_id, role, before_role FROM oidc_grants WHERE user_id = ?',
    [user_id],
  );
  return rows.map(({ org_id, project_id, role, before_role: before }) => ({
    org_id,
    role,
    before,
    project_id: project_id || null,
  }));
}

export const putGrant = (on: Queries, user_id: string, { org_id, project_id, role, before }: Grant): Promise<number> =>
  on.write(
    `INSERT INTO oidc_grants (user_id, org_id, project_id, role, before_role) VALUES (?, ?, ?, ?, ?)
     ${on.sql.upsert(['user_id', 'org_id', 'project_id'], ['role', 'before_role'])}`,
    [user_id, org_id, project_id ?? '', role, before],
  );

export const removeGrant = (on: Queries, user_id: string, { org_id, project_id }: RoleScope): Promise<number> =>
  on.write('DELETE FROM oidc_grants WHERE user_id = ? AND org_id = ? AND project_id = ?', [
    user_id,
    org_id,
    project_id ?? '',
  ]);
