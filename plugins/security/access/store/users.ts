import { type Ids, inList, chunks, type Queries } from '../../../../kernel/contracts/index.ts';
import type { Reading, UserRow } from './models.ts';

const READ = 'SELECT user_id, name, created_at, home_org_id FROM access_users';

export async function findUserByName(on: Reading, name: string): Promise<UserRow | undefined> {
  const rows = await on.read<UserRow>(`${READ} WHERE name = ?`, [name]);
  return rows[0];
}

/** Returns the org that created the user; `''` when none did, or when there is no such user. */
export async function findHomeOrg(on: Reading, user_id: string): Promise<string> {
  const rows = await on.read<UserRow>(`${READ} WHERE user_id = ?`, [user_id]);
  return rows[0]?.home_org_id ?? '';
}

/** Returns the names of users by their id. */
export async function userNames(on: Reading, user_ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const batch of chunks([...new Set(user_ids)])) {
    const { placeholders, params } = inList(batch);
    const rows = await on.read<UserRow>(
      `SELECT user_id, name FROM access_users WHERE user_id IN ${placeholders}`,
      params,
    );
    for (const { user_id, name } of rows) names.set(user_id, name);
  }
  return names;
}

/** Returns the user with that name, and creates it if it does not exist. `home_org_id` is the org that adds it, or `''`. */
export async function ensureUser(
  queries: Queries,
  ids: Ids,
  user: { name: string; home_org_id: string; now: number },
): Promise<UserRow & { made: boolean }> {
  const { name, home_org_id, now } = user;
  const inserted = await queries.write(
    `${queries.sql.insert_ignore} access_users (user_id, name, created_at, home_org_id) VALUES (?, ?, ?, ?)`,
    [ids.next('usr'), name, now, home_org_id],
  );
  return { ...(await findUserByName(queries, name))!, made: inserted === 1 };
}
