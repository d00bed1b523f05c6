import type { Queries } from '../../../kernel/contracts/index.ts';

export interface SessionRow {
  session_id: string;
  token_id: string;
  user_id: string;
  user_name: string;
  /** The org of a token that is limited to one. */
  org_id: string | null;
  created_at: number;
  expires_at: number;
}

export const insertSession = (on: Queries, row: SessionRow): Promise<number> =>
  on.write(
    `INSERT INTO sessions_sessions (session_id, token_id, user_id, user_name, org_id, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [row.session_id, row.token_id, row.user_id, row.user_name, row.org_id, row.created_at, row.expires_at],
  );

export async function findSession(
  on: Pick<Queries, 'read'>,
  session_id: string,
  now: number,
): Promise<SessionRow | undefined> {
  const [row] = await on.read<SessionRow>('SELECT * FROM sessions_sessions WHERE session_id = ? AND expires_at > ?', [
    session_id,
    now,
  ]);
  return row;
}

export const removeSession = (on: Queries, session_id: string): Promise<number> =>
  on.write('DELETE FROM sessions_sessions WHERE session_id = ?', [session_id]);

export const removeOver = (on: Queries, now: number): Promise<number> =>
  on.write('DELETE FROM sessions_sessions WHERE expires_at <= ?', [now]);
