import { createHash } from 'node:crypto';
import type { Database, HttpRequest, Ids, Principal } from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import type { Session, Sessions } from '../contract.ts';
import { findSession, insertSession, removeOver, removeSession } from '../store/sessions.ts';

const COOKIE = 'svc_session';
export const SESSION_MS = 12 * 3600 * 1000;

const digestOf = (value: string): string => createHash('sha256').update(value).digest('hex');

/** The value of our cookie in a request; undefined when it has none of the right form. */
export function cookieOf({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
  return found !== undefined && /^[\w-]{43}$/.test(found) ? found : undefined;
}

/** Lax: the person comes back from another site. No script reads it. */
export const setCookie = (value: string, seconds: number, secure: boolean): string =>
  `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

export interface SessionParts {
  database: Database;
  ids: Ids;
  audit: Pick<Audit, 'record'>;
}

export class BrowserSessions implements Sessions {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Begins a session of whoever sent the request, in place of the one that its browser had. Answers the cookie's value. */
  async begin(principal: Principal, by: AuditSource, before: string | undefined) {
    const { database, ids, audit } = this.#parts;
    const value = ids.bytes(32).toString('base64url');
    const created_at = database.now();
    const expires_at = created_at + SESSION_MS;
    await database.transaction(async (tx) => {
      await removeOver(tx, created_at);
      if (before !== undefined) await removeSession(tx, digestOf(before));
      const { token_id, id: user_id, name: user_name, org_id } = principal;
      await insertSession(tx, {
        session_id: digestOf(value),
        token_id,
        user_id,
        user_name,
        org_id,
        created_at,
        expires_at,
      });
      await audit.record(tx, {
        ...by,
        org_id: org_id ?? '',
        project_id: null,
        action: 'session.begin',
        subject: user_name,
      });
    });
    return { value, expires_at };
  }

  async end(value: string | undefined): Promise<void> {
    if (value !== undefined) await removeSession(this.#parts.database, digestOf(value));
  }

  async of(request: Pick<HttpRequest, 'headers'>): Promise<Session | undefined> {
    const value = cookieOf(request);
    if (value === undefined) return undefined;
    const { database } = this.#parts;
    const row = await findSession(database, digestOf(value), database.now());
    if (row === undefined) return undefined;
    const { session_id, token_id, user_id: id, user_name: name, org_id } = row;
    return { session_id, principal: { kind: 'user', id, name, token_id, org_id } };
  }
}
