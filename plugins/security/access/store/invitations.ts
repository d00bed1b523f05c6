import { Op } from 'sequelize';
import type { Page, Queries, Transaction } from '../../../../kernel/contracts/index.ts';
import type { MemberKey } from './members.ts';
import type { InvitationRow, Models, Reading } from './models.ts';

const READ = `SELECT invitation_id, org_id, project_id, user_id, role, invited_by, created_at, expires_at
  FROM access_invitations`;

export async function findInvitation(on: Reading, invitation_id: string): Promise<InvitationRow | undefined> {
  const rows = await on.read<InvitationRow>(`${READ} WHERE invitation_id = ?`, [invitation_id]);
  return rows[0];
}

/** Finds the invitation of a user to an org or to a project. It may have expired. */
export async function invitationTo(on: Reading, key: MemberKey): Promise<InvitationRow | undefined> {
  const { org_id, project_id, user_id } = key;
  const rows = await on.read<InvitationRow>(`${READ} WHERE org_id = ? AND project_id = ? AND user_id = ?`, [
    org_id,
    project_id,
    user_id,
  ]);
  return rows[0];
}

/** Returns all invitations of an org and its projects, including expired ones. */
export const invitationsOf = (on: Reading, org_id: string): Promise<InvitationRow[]> =>
  on.read<InvitationRow>(`${READ} WHERE org_id = ? ORDER BY invitation_id`, [org_id]);

export async function isInvited(on: Reading, user_id: string, now: number): Promise<boolean> {
  const rows = await on.read(
    'SELECT invitation_id FROM access_invitations WHERE user_id = ? AND expires_at > ? LIMIT 1',
    [user_id, now],
  );
  return rows.length > 0;
}

/** Lists the valid invitations of an org or project, or of a user, newest first. Returns one row more than a page. */
export async function listInvitations(
  { invitations }: Models,
  of: Pick<InvitationRow, 'org_id' | 'project_id'> | Pick<InvitationRow, 'user_id'>,
  { now, ...page }: Page & { now: number },
): Promise<InvitationRow[]> {
  const before = page.before === undefined ? {} : { invitation_id: { [Op.lt]: page.before } };
  const where = { ...of, ...before, expires_at: { [Op.gt]: now } };
  const order: [string, string][] = [['invitation_id', 'DESC']];
  const rows = await invitations.findAll({ where, order, limit: page.limit + 1, raw: true });
  return rows as unknown as InvitationRow[];
}

export async function insertInvitation(queries: Queries, row: InvitationRow): Promise<void> {
  await queries.write(
    `INSERT INTO access_invitations
       (invitation_id, org_id, project_id, user_id, role, invited_by, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      row.invitation_id,
      row.org_id,
      row.project_id,
      row.user_id,
      row.role,
      row.invited_by,
      row.created_at,
      row.expires_at,
    ],
  );
}

export async function deleteInvitation(tx: Transaction, invitation_id: string): Promise<void> {
  await tx.write('DELETE FROM access_invitations WHERE invitation_id = ?', [invitation_id]);
}
