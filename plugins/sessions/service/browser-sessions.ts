import type { Database, Ids, Page, Principal, Queries } from '../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../audit/contract.ts';
import {
  type BegunSession,
  cookieName,
  cookieNamed,
  type CookieRequest,
  type Session,
  type Sessions,
  setCookie,
  type SignIn,
} from '../contract.ts';
import { browserOf } from '../domain/browser.ts';
import { type CookieValue, csrfOf, digestOf, makeCookie, readCookie, SESSION_COOKIE } from '../domain/cookie.ts';
import { judge } from '../domain/judgement.ts';
import { IDLE_MS, MOST_SESSIONS, SESSION_MS } from '../domain/lifetimes.ts';
import { sessionView } from '../domain/view.ts';
import { insertCookie } from '../store/cookies.ts';
import {
  findPresented,
  insertSession,
  listSessions,
  noteFirstUse,
  noteUse,
  type PresentedRow,
  removeAll,
  removeOldest,
  removeOver,
  removeSession,
  type SessionRow,
  takeTurn,
} from '../store/sessions.ts';
import type { SessionAudit } from './session-audit.ts';

export interface SessionParts {
  database: Database;
  ids: Ids;
  audit: SessionAudit;
  /** The address at which people find the service is an https one. */
  secure: () => boolean;
}

/** A session that a request has shown a good cookie of. */
export interface Recognised {
  row: PresentedRow;
  value: CookieValue;
  principal: Principal;
  /** Its cookie has been used long enough. */
  renew: boolean;
}

export class BrowserSessions implements Sessions {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  async begin(who: SignIn, request: CookieRequest): Promise<BegunSession> {
    const { database, ids, audit } = this.#parts;
    const before = await this.#find(this.cookieOf(request));
    const value = makeCookie((count) => ids.bytes(count));
    const row = this.#row(who, request);
    const places = await audit.placesOf(row);
    const wide = row.org_id === null ? places : await audit.placesOf({ ...row, org_id: null });
    const before_places = before && (await audit.placesOf(before));
    const tell = async (tx: Queries, ended: readonly SessionRow[], detail: string) => {
      for (const one of ended) {
        const own = one === before ? before_places! : one.org_id === null ? wide : [one.org_id];
        const entry = { ...sourceOf(one, request), action: 'session.end', detail };
        const reached = (place: string) => places.includes(place);
        await audit.record(tx, own.filter(reached), entry);
        // Where the new session has no reach, its request is nobody's business.
        const elsewhere = own.filter((place) => !reached(place));
        await audit.record(tx, elsewhere, { ...entry, request_id: '', ip: '' });
      }
    };
    await database.transaction(async (tx) => {
      await removeOver(tx, row.created_at);
      const replaced = before && (await removeSession(tx, before.session_id)) ? [before] : [];
      await insertBegun(tx, row, value);
      const displaced = await removeOldest(tx, row.user_id, MOST_SESSIONS);
      await tell(tx, replaced, 'this browser has signed in again');
      await tell(tx, displaced, `a person has at most ${MOST_SESSIONS}`);
      const detail = `by ${row.signed_in_by}, in ${row.browser}`;
      await audit.record(tx, places, { ...sourceOf(row, request), action: 'session.begin', detail });
    });
    return this.#begun(row, value);
  }

  async of(request: CookieRequest): Promise<Session | undefined> {
    const known = await this.recognise(request);
    return known && { session_id: known.row.session_id, principal: known.principal };
  }

  cookieOf(request: Pick<CookieRequest, 'headers'>): CookieValue | undefined {
    return readCookie(this.sentOf(request));
  }

  /** What the request has as its cookie, also when no server has given it. Undefined: none, or an empty one. */
  sentOf(request: Pick<CookieRequest, 'headers'>): string | undefined {
    return cookieNamed(cookieName(SESSION_COOKIE, this.#parts.secure()), request) || undefined;
  }

  /** Undefined when no session has this cookie, or it is over. A cookie that shows a theft ends its session. */
  async recognise(request: CookieRequest): Promise<Recognised | undefined> {
    const { database } = this.#parts;
    const value = this.cookieOf(request);
    const row = await this.#find(value);
    if (!value || !row) return undefined;
    const now = database.now();
    const verdict = judge(row, browserOf(request.headers['user-agent']).family, now);
    if (verdict.state === 'over') return undefined;
    if (verdict.state === 'stolen') {
      await this.#end(row, request, 'session.stolen', verdict.why);
      return undefined;
    }
    if (verdict.first) await noteFirstUse(database, row.session_id, row.turn, now);
    else if (verdict.touch) await noteUse(database, row.session_id, now);
    return { row, value, principal: principalOf(row), renew: verdict.renew };
  }

  /** Gives the browser its next cookie; nothing when another request of it does. */
  async renew({ row, value }: Recognised): Promise<Record<string, string>> {
    const { database, ids } = this.#parts;
    const { session_id, issued, expires_at } = row;
    const next = makeCookie((count) => ids.bytes(count), value.lasting);
    const turn_at = database.now();
    const taken = await database.transaction(async (tx) => {
      if (!(await takeTurn(tx, session_id, issued, turn_at))) return false;
      await insertCookie(tx, { digest: digestOf(next.whole), session_id, turn: issued + 1, turn_at, expires_at });
      return true;
    });
    return taken ? this.#cookie(next.whole, expires_at - turn_at) : {};
  }

  view({ row, value }: Pick<Recognised, 'value'> & { row: SessionRow }) {
    return sessionView(row, csrfOf(value));
  }

  list(whose: Principal, page: Page): Promise<SessionRow[]> {
    const now = this.#parts.database.now();
    return listSessions(this.#parts.database, wholeOf(whose), { now, idle_since: now - IDLE_MS }, page);
  }

  /** Ends the session of this browser, if there is one. Answers the headers that make it forget the cookie. */
  async end(request: CookieRequest): Promise<Record<string, string>> {
    const row = await this.#find(this.cookieOf(request));
    if (row) await this.#end(row, request, 'session.end');
    return this.#cookie('', 0);
  }

  /** Ends all sessions of a person; of a token that is limited to an org, those made by such tokens. */
  async endAll(person: Principal, by: AuditSource): Promise<Record<string, string>> {
    const { database, audit } = this.#parts;
    const places = await audit.placesOf({ user_id: person.id, org_id: person.org_id });
    await database.transaction(async (tx) => {
      const count = await removeAll(tx, wholeOf(person));
      const detail = count === 1 ? '1 session' : `${count} sessions`;
      await audit.record(tx, places, { ...by, subject: person.name, action: 'session.everywhere', detail });
    });
    return this.#cookie('', 0);
  }

  async #end(row: PresentedRow, request: CookieRequest, action: string, detail?: string): Promise<void> {
    const { database, audit } = this.#parts;
    const places = await audit.placesOf(row);
    await database.transaction(async (tx) => {
      // Of several requests that see a theft, one tells.
      if (!(await removeSession(tx, row.session_id))) return;
      await audit.record(tx, places, { ...sourceOf(row, request), action, ...(detail && { detail }) });
    });
  }

  /** It may have been made at another server just now. */
  async #find(value: CookieValue | undefined): Promise<PresentedRow | undefined> {
    if (!value) return undefined;
    const { database } = this.#parts;
    const read = () => findPresented(database, digestOf(value.whole));
    return (await read()) ?? ((await database.catchUp()) ? read() : undefined);
  }

  #row({ user_id, user_name, token, by }: SignIn, { headers }: CookieRequest): SessionRow {
    const { database, ids } = this.#parts;
    const { family, label: browser } = browserOf(headers['user-agent']);
    const created_at = database.now();
    return {
      session_id: ids.next('ses'),
      ...{ token_id: token?.token_id ?? '', org_id: token?.org_id ?? null },
      ...{ user_id, user_name, signed_in_by: by, family, browser },
      ...{ created_at, expires_at: created_at + SESSION_MS, last_seen_at: created_at },
    };
  }

  #begun(row: SessionRow, value: CookieValue): BegunSession {
    return { view: this.view({ row, value }), headers: this.#cookie(value.whole, row.expires_at - row.created_at) };
  }

  #cookie(value: string, max_age_ms: number): Record<string, string> {
    const secure = this.#parts.secure();
    return { 'set-cookie': setCookie(cookieName(SESSION_COOKIE, secure), value, max_age_ms, secure) };
  }
}

async function insertBegun(tx: Queries, row: SessionRow, value: CookieValue): Promise<void> {
  const { session_id, created_at: turn_at, expires_at } = row;
  await insertSession(tx, row);
  await insertCookie(tx, { digest: digestOf(value.whole), session_id, turn: 1, turn_at, expires_at });
}

const wholeOf = ({ id, org_id }: Principal) => ({ user_id: id, org_id });

const principalOf = ({ session_id, token_id, user_id, user_name, org_id }: SessionRow): Principal => ({
  kind: 'user',
  id: user_id,
  name: user_name,
  token_id: token_id || session_id,
  org_id,
  session_id,
});

const sourceOf = (row: SessionRow, { request_id, ip }: CookieRequest) => ({
  principal: principalOf(row),
  request_id,
  ip,
  subject: row.user_name,
});
