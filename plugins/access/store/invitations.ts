import { Op } from 'sequelize';
import type { Page, Queries, Transaction } from '../../../kernel/contracts/index.ts';
import type { MemberKey } from './members.ts';
import type { InvitationRow, Models, Reading } from './models.ts';

const READ = `SELECT invitation_id, org_id, project_id, user_id, role, invited_by, created_at, expires_at
  FROM access_invitations`;

export async function findInvitation(on: Reading, invitation_id: string): Promise<InvitationRow | undefined> {
  const rows = await on.read<InvitationRow>(`${READ} WHERE invitation_id = ?`, [invitation_id]);
  return rows[0];
}

/** The one of a user to an org or to a project; it may have expired. */
export async function invitationTo(on: Reading, key: MemberKey): Promise<InvitationRow | undefined> {
  const { org_id, project_id, user_id } = key;
  const rows = await on.read<InvitationRow>(`${READ} WHERE org_id = ? AND project_id = ? AND user_id = ?`, [
    org_id,
    project_id,
    user_id,
  ]);
  return rows[0];
}

/** All of an org and its projects, expired ones too. */
export const invitationsOf = (on: Reading, org_id: string): Promise<InvitationRow[]> =>
  on.read<InvitationRow>(`${READ} WHERE org_id = ? ORDER BY invitation_id`, [org_id]);

export async function isInvited(on: Reading, user_id: string, now: number): Promise<boolean> {
  const rows = await on.read(
    'SELECT invitation_id FROM access_invitations WHERE user_id = ? AND expires_at > ? LIMIT 1',
    [user_id, now],
  );
  return rows.length > 0;
}

/** Those of a place or to a user that have not expired; newest first, one row more than a page. */
export async function listInvitations(
  { invitations }: Models,
  of: Pick<InvitationRow, 'org_id' | 'project_id'> | Pick<InvitationRow, 'user_id'>,
  { now, ...page }: Page & { now: number },
): Promise<InvitationRow[]> {
  const before = page.before === undefined ? {} : { invitation_id: { [Op.lt]: page.before } };
  const where = { ...of, ...before, expires_at: { [Op.gt]: now } };
  const order: [string, string][] = [['invitation_id', 'DESC']];
  const found = await invitations.findAll({ where, order, limit: page.limit + 1, raw: true });
  return found as unknown as InvitationRow[];
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
