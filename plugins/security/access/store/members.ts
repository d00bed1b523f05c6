import { Op } from 'sequelize';
import type { Ids, Page, Queries, Transaction } from '../../../../kernel/contracts/index.ts';
import type { MemberRow, Models, Reading } from './models.ts';

/** The scope of a membership; `project_id` is `''` for the org itself. */
export type MemberKey = Pick<MemberRow, 'org_id' | 'project_id' | 'user_id'>;

const READ = 'SELECT org_id, project_id, user_id, member_id, role, created_at FROM access_members';

export const membershipsOf = (on: Reading, user_id: string): Promise<MemberRow[]> =>
  on.read<MemberRow>(`${READ} WHERE user_id = ?`, [user_id]);

export const isAnybodyOwner = async ({ members }: Models): Promise<boolean> =>
  (await members.findOne({ where: { project_id: '', role: 'owner' }, raw: true })) !== null;

/** Lists members, newest first. Returns one row more than a page. */
export async function listMembers(
  { members }: Models,
  of: { org_id: string; project_id: string },
  page: Page,
): Promise<MemberRow[]> {
  const before = page.before === undefined ? {} : { member_id: { [Op.lt]: page.before } };
  const order: [string, string][] = [['member_id', 'DESC']];
  const rows = await members.findAll({ where: { ...of, ...before }, order, limit: page.limit + 1, raw: true });
  return rows as unknown as MemberRow[];
}

export async function readMember(on: Reading, key: MemberKey): Promise<MemberRow | undefined> {
  const { org_id, project_id, user_id } = key;
  const rows = await on.read<MemberRow>(`${READ} WHERE org_id = ? AND project_id = ? AND user_id = ?`, [
    org_id,
    project_id,
    user_id,
  ]);
  return rows[0];
}

/** Returns the memberships of a user in an org and in its projects. */
export const membershipsIn = (on: Reading, org_id: string, user_id: string): Promise<MemberRow[]> =>
  on.read<MemberRow>(`${READ} WHERE user_id = ? AND org_id = ?`, [user_id, org_id]);

/** Returns the ids of a user's orgs, oldest membership first. */
export async function orgsOfUser(queries: Reading, user_id: string): Promise<string[]> {
  const rows = await queries.read<{ org_id: string }>(
    "SELECT org_id FROM access_members WHERE user_id = ? AND project_id = '' ORDER BY member_id",
    [user_id],
  );
  return rows.map(({ org_id }) => org_id);
}

export async function countOwners(queries: Queries, org_id: string): Promise<number> {
  const rows = await queries.read<{ owners: number }>(
    "SELECT COUNT(*) AS owners FROM access_members WHERE org_id = ? AND project_id = '' AND role = 'owner'",
    [org_id],
  );
  return Number(rows[0]!.owners);
}

/** Creates a membership. Returns false, and changes nothing, when it exists. */
export async function insertMember(
  queries: Queries,
  ids: Ids,
  member: MemberKey & { role: MemberRow['role']; now: number },
): Promise<boolean> {
  const inserted = await queries.write(
    `${queries.sql.insert_ignore} access_members (org_id, project_id, user_id, member_id, role, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    [member.org_id, member.project_id, member.user_id, ids.next('mbr'), member.role, member.now],
  );
  return inserted === 1;
}

export async function setMemberRole(queries: Queries, key: MemberKey, role: MemberRow['role']): Promise<void> {
  await queries.write('UPDATE access_members SET role = ? WHERE org_id = ? AND project_id = ? AND user_id = ?', [
    role,
    key.org_id,
    key.project_id,
    key.user_id,
  ]);
}

/** Leaving the org (`project_id` `''`) also leaves its projects. */
export async function deleteMemberships(tx: Transaction, key: MemberKey): Promise<void> {
  const { org_id, project_id, user_id } = key;
  if (project_id === '') {
    await tx.write('DELETE FROM access_members WHERE org_id = ? AND user_id = ?', [org_id, user_id]);
    return;
  }
  await tx.write('DELETE FROM access_members WHERE org_id = ? AND project_id = ? AND user_id = ?', [
    org_id,
    project_id,
    user_id,
  ]);
}
