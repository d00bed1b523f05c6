import { Op } from 'sequelize';
import type { Ids, Page, Transaction } from '../../../../kernel/contracts/index.ts';
import type { Models, OrgRow, Reading } from './models.ts';

const READ = 'SELECT org_id, name, created_at FROM access_orgs';

export async function findOrgByName(on: Reading, name: string): Promise<OrgRow | undefined> {
  const rows = await on.read<OrgRow>(`${READ} WHERE name = ?`, [name]);
  return rows[0];
}

export async function findOrgById(on: Reading, org_id: string): Promise<OrgRow | undefined> {
  const rows = await on.read<OrgRow>(`${READ} WHERE org_id = ?`, [org_id]);
  return rows[0];
}

export async function hasSeveralOrgs(on: Reading): Promise<boolean> {
  const rows = await on.read('SELECT org_id FROM access_orgs ORDER BY org_id LIMIT 2', []);
  return rows.length > 1;
}

export const isWithoutOrgs = async ({ orgs }: Models): Promise<boolean> =>
  (await orgs.findOne({ attributes: ['org_id'], raw: true })) === null;

/** Lists orgs, newest first. Returns one row more than the page holds. */
export async function listOrgs({ orgs }: Models, org_ids: readonly string[], page?: Page): Promise<OrgRow[]> {
  const before = page?.before === undefined ? {} : { [Op.lt]: page.before };
  const where = { org_id: { [Op.in]: [...org_ids], ...before } };
  const limit = page && { limit: page.limit + 1 };
  return (await orgs.findAll({ where, order: [['org_id', 'DESC']], ...limit, raw: true })) as unknown as OrgRow[];
}

/** Returns the org with that name, and creates it if it does not exist. One of two concurrent callers creates it. */
export async function ensureOrg(
  tx: Transaction,
  ids: Ids,
  name: string,
  now: number,
): Promise<OrgRow & { made: boolean }> {
  const inserted = await tx.write(`${tx.sql.insert_ignore} access_orgs (org_id, name, created_at) VALUES (?, ?, ?)`, [
    ids.next('org'),
    name,
    now,
  ]);
  const org = await findOrgByName(tx, name);
  return { ...org!, made: inserted === 1 };
}

/** Serialises changes to the members of an org. */
export async function lockOrg(tx: Transaction, org_id: string): Promise<void> {
  await tx.lock({ table: 'access_orgs', key: ['org_id'], columns: 'org_id', where: 'org_id = ?', params: [org_id] });
}
