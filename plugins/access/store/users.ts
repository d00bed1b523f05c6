import { type Ids, inList, chunks, type Queries } from '../../../kernel/contracts/index.ts';
import type { Reading, UserRow } from './models.ts';

export async function findUserByName(on: Reading, name: string): Promise<UserRow | undefined> {
  const rows = await on.read<UserRow>('SELECT user_id, name, created_at FROM access_users WHERE name = ?', [name]);
  return rows[0];
}

/** Names by user id. */
export async function userNames(on: Reading, user_ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const some of chunks([...new Set(user_ids)])) {
    const { marks, params } = inList(some);
    const rows = await on.read<UserRow>(`SELECT user_id, name FROM access_users WHERE user_id IN ${marks}`, params);
    for (const { user_id, name } of rows) names.set(user_id, name);
  }
  return names;
}

/** The user with that name, created if it does not exist. */
export async function ensureUser(
  queries: Queries,
  ids: Ids,
  name: string,
  now: number,
): Promise<UserRow & { made: boolean }> {
  const inserted = await queries.write(
    `${queries.sql.insert_ignore} access_users (user_id, name, created_at) VALUES (?, ?, ?)`,
    [ids.next('usr'), name, now],
  );
  return { ...(await findUserByName(queries, name))!, made: inserted === 1 };
}
