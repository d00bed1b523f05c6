import type { Ids, Queries } from '../../../kernel/contracts/index.ts';
import type { Models, UserRow } from './models.ts';

export const findUserByName = async ({ users }: Models, name: string): Promise<UserRow | null> =>
  (await users.findOne({ where: { name }, raw: true })) as UserRow | null;

/** Names by user id. */
export async function userNames({ users }: Models, user_ids: readonly string[]): Promise<Map<string, string>> {
  const found = await users.findAll({ where: { user_id: [...new Set(user_ids)] }, raw: true });
  return new Map((found as unknown as UserRow[]).map((user) => [user.user_id, user.name]));
}

/** The user of that name, made now unless it was there. */
export async function ensureUser(queries: Queries, ids: Ids, name: string, now: number): Promise<UserRow> {
  await queries.write(`${queries.sql.insert_ignore} access_users (user_id, name, created_at) VALUES (?, ?, ?)`, [
    ids.next('usr'),
    name,
    now,
  ]);
  const rows = await queries.read<UserRow>('SELECT user_id, name, created_at FROM access_users WHERE name = ?', [name]);
  return rows[0]!;
}
