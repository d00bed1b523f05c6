import { isId, type Page, type Queries } from '../../../kernel/contracts/index.ts';
import type { Presented } from '../domain/judgement.ts';

export interface SessionRow {
  session_id: string;
  /** `''`: no token stands behind it. */
  token_id: string;
  user_id: string;
  user_name: string;
  /** The org of a token that is limited to one. */
  org_id: string | null;
  signed_in_by: string;
  family: string;
  browser: string;
  created_at: number;
  expires_at: number;
  last_seen_at: number;
}

/** A session with the cookie by which it was found. */
export type PresentedRow = SessionRow & Presented;

type Reading = Pick<Queries, 'read'>;

export const insertSession = (on: Queries, row: SessionRow): Promise<number> =>
  on.write(
    `INSERT INTO sessions_sessions (session_id, token_id, user_id, user_name, org_id, signed_in_by, family, browser,
       created_at, expires_at, last_seen_at, seen, seen_at, issued, issued_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, 1, ?)`,
    [
      ...[row.session_id, row.token_id, row.user_id, row.user_name, row.org_id, row.signed_in_by, row.family],
      ...[row.browser, row.created_at, row.expires_at, row.last_seen_at, row.created_at, row.created_at],
    ],
  );

export async function findPresented(on: Reading, digest: string): Promise<PresentedRow | undefined> {
  const [row] = await on.read<PresentedRow>(
    `SELECT s.session_id, s.token_id, s.user_id, s.user_name, s.org_id, s.signed_in_by, s.family, s.browser,
       s.created_at, s.expires_at, s.last_seen_at, s.seen, s.seen_at, s.issued, s.issued_at, c.turn, c.turn_at
     FROM sessions_cookies c JOIN sessions_sessions s ON s.session_id = c.session_id WHERE c.digest = ?`,
    [digest],
  );
  return row && { ...row, ...timesOf(row) };
}

/** Some drivers answer a large number as text. */
const timesOf = (row: PresentedRow) => ({
  created_at: Number(row.created_at),
  expires_at: Number(row.expires_at),
  last_seen_at: Number(row.last_seen_at),
  ...{ seen: Number(row.seen), seen_at: Number(row.seen_at) },
  ...{ issued: Number(row.issued), issued_at: Number(row.issued_at) },
  ...{ turn: Number(row.turn), turn_at: Number(row.turn_at) },
});

/** Sessions that were not begun before and are not idle since. */
interface Alive {
  now: number;
  idle_since: number;
}

export async function findAlive(on: Reading, session_id: string, { now, idle_since }: Alive) {
  const [row] = await on.read<Pick<SessionRow, 'user_id' | 'token_id'>>(
    'SELECT user_id, token_id FROM sessions_sessions WHERE session_id = ? AND expires_at > ? AND last_seen_at > ?',
    [session_id, now, idle_since],
  );
  return row;
}

/** Whose: those of a user, or those of tokens of a user that are limited to an org. */
export interface Whose {
  user_id: string;
  org_id: string | null;
}

const within = ({ user_id, org_id }: Whose) =>
  org_id === null
    ? { where: 'user_id = ?', params: [user_id] }
    : { where: 'user_id = ? AND org_id = ?', params: [user_id, org_id] };

/** Newest first, one row more than a page. */
export function listSessions(on: Reading, whose: Whose, { now, idle_since }: Alive, { limit, before }: Page) {
  const { where, params } = within(whose);
  const after = before !== undefined && isId(before) ? ' AND session_id < ?' : '';
  return on.read<SessionRow>(
    `SELECT session_id, token_id, user_id, user_name, org_id, signed_in_by, family, browser, created_at, expires_at,
       last_seen_at
     FROM sessions_sessions WHERE ${where} AND expires_at > ? AND last_seen_at > ?${after}
     ORDER BY session_id DESC LIMIT ${Math.trunc(limit) + 1}`,
    [...params, now, idle_since, ...(after === '' ? [] : [before!])],
  );
}

/** A cookie was used that is newer than all that were used before. */
export const noteFirstUse = (on: Queries, session_id: string, turn: number, now: number): Promise<number> =>
  on.write('UPDATE sessions_sessions SET seen = ?, seen_at = ?, last_seen_at = ? WHERE session_id = ? AND seen < ?', [
    turn,
    now,
    now,
    session_id,
    turn,
  ]);

export const noteUse = (on: Queries, session_id: string, now: number): Promise<number> =>
  on.write('UPDATE sessions_sessions SET last_seen_at = ? WHERE session_id = ? AND last_seen_at < ?', [
    now,
    session_id,
    now,
  ]);

/** True for the one of several requests that may give out the next cookie. */
export async function takeTurn(on: Queries, session_id: string, issued: number, now: number): Promise<boolean> {
  const taken = await on.write(
    'UPDATE sessions_sessions SET issued = ?, issued_at = ? WHERE session_id = ? AND issued = ?',
    [issued + 1, now, session_id, issued],
  );
  return taken === 1;
}

/** True when it was there. */
export async function removeSession(on: Queries, session_id: string): Promise<boolean> {
  await on.write('DELETE FROM sessions_cookies WHERE session_id = ?', [session_id]);
  return (await on.write('DELETE FROM sessions_sessions WHERE session_id = ?', [session_id])) === 1;
}

/** Answers how many there were. */
export async function removeAll(on: Queries, whose: Whose): Promise<number> {
  const { where, params } = within(whose);
  await on.write(
    `DELETE FROM sessions_cookies WHERE session_id IN (SELECT session_id FROM sessions_sessions WHERE ${where})`,
    params,
  );
  return on.write(`DELETE FROM sessions_sessions WHERE ${where}`, params);
}

/** Ends the oldest sessions of a user, so that `most` stay. Answers them. */
export async function removeOldest(on: Queries, user_id: string, most: number): Promise<SessionRow[]> {
  const rows = await on.read<SessionRow>(
    `SELECT session_id, token_id, user_id, user_name, org_id, signed_in_by, family, browser, created_at, expires_at,
       last_seen_at
     FROM sessions_sessions WHERE user_id = ? ORDER BY session_id DESC LIMIT 100 OFFSET ${most}`,
    [user_id],
  );
  const ended: SessionRow[] = [];
  for (const row of rows) if (await removeSession(on, row.session_id)) ended.push(row);
  return ended;
}

export async function removeOver(on: Queries, now: number): Promise<void> {
  await on.write('DELETE FROM sessions_cookies WHERE expires_at <= ?', [now]);
  await on.write('DELETE FROM sessions_sessions WHERE expires_at <= ?', [now]);
}
