import type { Queries } from '../../../../kernel/contracts/index.ts';

export interface CookieRow {
  digest: string;
  session_id: string;
  generation: number;
  generation_at: number;
  expires_at: number;
}

export const insertCookie = (on: Queries, row: CookieRow): Promise<number> =>
  on.write('INSERT INTO sessions_cookies (digest, session_id, turn, turn_at, expires_at) VALUES (?, ?, ?, ?, ?)', [
    row.digest,
    row.session_id,
    row.generation,
    row.generation_at,
    row.expires_at,
  ]);
