import { isId, type Page, type Queries } from '../../../../kernel/contracts/index.ts';
import type { PresentedCookie } from '../domain/check-cookie.ts';

export interface SessionRow {
  session_id: string;
  /** The token that the session is based on; `''` when there is none. */
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

/** A session, and the cookie by which it was found. */
export type PresentedRow = SessionRow & PresentedCookie;

type Reading = Pick<Queries, 'read'>;

export const insertSession = (on: Queries, row: SessionRow): Promise<number> =>
  on.write(
    `INSERT INTO sessions_sessions (session_id, token_id, user_id, user_name, org_id, signed_in_by, family, browser,
       created_at, expires_at, last_seen_at, seen, seen_at, issued, issued_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, 1, ?)`,
    [
      row.session_id,
      row.token_id,
      row.user_id,
      row.user_name,
      row.org_id,
      row.signed_in_by,
      row.family,
      row.browser,
      row.created_at,
      row.expires_at,
      row.last_seen_at,
      row.created_at,
      row.created_at,
    ],
  );

export async function findPresented(on: Reading, digest: string): Promise<PresentedRow | undefined> {
  const [row] = await on.read<PresentedRow>(
    `SELECT s.session_id, s.token_id, s.user_id, s.user_name, s.org_id, s.signed_in_by, s.family, s.browser,
       s.created_at, s.expires_at, s.last_seen_at, s.seen, s.seen_at, s.issued, s.issued_at, c.turn AS generation,
       c.turn_at AS generation_at
     FROM sessions_cookies c JOIN sessions_sessions s ON s.session_id = c.session_id WHERE c.digest = ?`,
    [digest],
  );
  return row && { ...row, ...timesOf(row) };
}

/** Some drivers return large numbers as text. */
const timesOf = (row: PresentedRow) => ({
  created_at: Number(row.created_at),
  expires_at: Number(row.expires_at),
  last_seen_at: Number(row.last_seen_at),
  seen: Number(row.seen),
  seen_at: Number(row.seen_at),
  issued: Number(row.issued),
  issued_at: Number(row.issued_at),
  generation: Number(row.generation),
  generation_at: Number(row.generation_at),
});

/** The bounds of a valid session: it expires after `now`, and was used after `idle_since`. */
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

/** Selects the sessions of a user, or only those that are limited to an org. */
export interface SessionOwner {
  user_id: string;
  org_id: string | null;
}

const ownerFilter = ({ user_id, org_id }: SessionOwner) =>
  org_id === null
    ? { where: 'user_id = ?', params: [user_id] }
    : { where: 'user_id = ? AND org_id = ?', params: [user_id, org_id] };

/** Lists sessions, newest first. Returns one row more than a page. */
export function listSessions(on: Reading, owner: SessionOwner, { now, idle_since }: Alive, { limit, before }: Page) {
  const { where, params } = ownerFilter(owner);
  const after = before !== undefined && isId(before) ? ' AND session_id < ?' : '';
  return on.read<SessionRow>(
    `SELECT session_id, token_id, user_id, user_name, org_id, signed_in_by, family, browser, created_at, expires_at,
       last_seen_at
     FROM sessions_sessions WHERE ${where} AND expires_at > ? AND last_seen_at > ?${after}
     ORDER BY session_id DESC LIMIT ${Math.trunc(limit) + 1}`,
    [...params, now, idle_since, ...(after === '' ? [] : [before!])],
  );
}

/** Finds a session of an owner. */
export async function findSessionOfOwner(
  on: Reading,
  owner: SessionOwner,
  { now, idle_since }: Alive,
  session_id: string,
): Promise<SessionRow | undefined> {
  const { where, params } = ownerFilter(owner);
  const [row] = await on.read<SessionRow>(
    `SELECT session_id, token_id, user_id, user_name, org_id, signed_in_by, family, browser, created_at, expires_at,
       last_seen_at
     FROM sessions_sessions WHERE ${where} AND expires_at > ? AND last_seen_at > ? AND session_id = ?`,
    [...params, now, idle_since, session_id],
  );
  return row;
}

/** Records the first use of a cookie that is newer than all that were used before. */
export const recordFirstUse = (on: Queries, session_id: string, generation: number, now: number): Promise<number> =>
  on.write('UPDATE sessions_sessions SET seen = ?, seen_at = ?, last_seen_at = ? WHERE session_id = ? AND seen < ?', [
    generation,
    now,
    now,
    session_id,
    generation,
  ]);

export const recordUse = (on: Queries, session_id: string, now: number): Promise<number> =>
  on.write('UPDATE sessions_sessions SET last_seen_at = ? WHERE session_id = ? AND last_seen_at < ?', [
    now,
    session_id,
    now,
  ]);

/** Claims the right to issue the next cookie. Returns true for one of several concurrent requests. */
export async function claimRenewal(on: Queries, session_id: string, issued: number, now: number): Promise<boolean> {
  const updated = await on.write(
    'UPDATE sessions_sessions SET issued = ?, issued_at = ? WHERE session_id = ? AND issued = ?',
    [issued + 1, now, session_id, issued],
  );
  return updated === 1;
}

/** Removes a session. Returns true when it existed. */
export async function removeSession(on: Queries, session_id: string): Promise<boolean> {
  await on.write('DELETE FROM sessions_cookies WHERE session_id = ?', [session_id]);
  return (await on.write('DELETE FROM sessions_sessions WHERE session_id = ?', [session_id])) === 1;
}

/** Removes all sessions of an owner, and returns their number. */
export async function removeAll(on: Queries, owner: SessionOwner): Promise<number> {
  const { where, params } = ownerFilter(owner);
  await on.write(
    `DELETE FROM sessions_cookies WHERE session_id IN (SELECT session_id FROM sessions_sessions WHERE ${where})`,
    params,
  );
  return on.write(`DELETE FROM sessions_sessions WHERE ${where}`, params);
}

/** Ends the oldest sessions of a user, so that `most` stay, and returns them. */
export async function removeOldest(on: Queries, user_id: string, max: number): Promise<SessionRow[]> {
  const rows = await on.read<SessionRow>(
    `SELECT session_id, token_id, user_id, user_name, org_id, signed_in_by, family, browser, created_at, expires_at,
       last_seen_at
     FROM sessions_sessions WHERE user_id = ? ORDER BY session_id DESC LIMIT 100 OFFSET ${max}`,
    [user_id],
  );
  const ended: SessionRow[] = [];
  for (const row of rows) if (await removeSession(on, row.session_id)) ended.push(row);
  return ended;
}

export async function removeExpired(on: Queries, now: number): Promise<void> {
  await on.write('DELETE FROM sessions_cookies WHERE expires_at <= ?', [now]);
  await on.write('DELETE FROM sessions_sessions WHERE expires_at <= ?', [now]);
}
