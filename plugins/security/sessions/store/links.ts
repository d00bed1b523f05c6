import type { Queries } from '../../../../kernel/contracts/index.ts';

export interface LinkRow {
  digest: string;
  token_id: string;
  user_id: string;
  user_name: string;
  org_id: string | null;
  expires_at: number;
}

export async function insertLink(on: Queries, row: LinkRow, now: number): Promise<void> {
  await on.write('DELETE FROM sessions_links WHERE expires_at <= ?', [now]);
  await on.write(
    'INSERT INTO sessions_links (digest, token_id, user_id, user_name, org_id, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
    [row.digest, row.token_id, row.user_id, row.user_name, row.org_id, row.expires_at],
  );
}

export async function findLink(on: Pick<Queries, 'read'>, digest: string, now: number): Promise<LinkRow | undefined> {
  const [row] = await on.read<LinkRow>('SELECT * FROM sessions_links WHERE digest = ? AND expires_at > ?', [
    digest,
    now,
  ]);
  return row;
}

/** Uses up a link. Returns true for one caller only. */
export const useLink = async (on: Queries, digest: string): Promise<boolean> =>
  (await on.write('DELETE FROM sessions_links WHERE digest = ?', [digest])) === 1;
