import {
  type Database,
  Errors,
  type Ids,
  isId,
  type Page,
  type Principal,
  type Queries,
} from '../../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../../platform/audit/contract.ts';
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
import { checkCookie } from '../domain/check-cookie.ts';
import { IDLE_MS, MAX_SESSIONS, SESSION_MS } from '../domain/lifetimes.ts';
import { sessionView } from '../domain/view.ts';
import { insertCookie } from '../store/cookies.ts';
import {
  findSessionOfOwner,
  findPresented,
  insertSession,
  listSessions,
  recordFirstUse,
  recordUse,
  type PresentedRow,
  removeAll,
  removeOldest,
  removeExpired,
  removeSession,
  type SessionRow,
  claimRenewal,
} from '../store/sessions.ts';
import type { SessionAudit } from './session-audit.ts';

export interface BrowserSessionsOptions {
  database: Database;
  ids: Ids;
  audit: SessionAudit;
  /** Returns true when the public address is an https one. */
  secure: () => boolean;
}

/** A session of which a request has presented a valid cookie. */
export interface Recognised {
  row: PresentedRow;
  value: CookieValue;
  principal: Principal;
  /** True when the cookie is due for rotation. */
  renew: boolean;
}

export class BrowserSessions implements Sessions {
  readonly #options: BrowserSessionsOptions;

  constructor(options: BrowserSessionsOptions) {
    this.#options = options;
  }

  async begin(who: SignIn, request: CookieRequest): Promise<BegunSession> {
    const { database, ids, audit } = this.#options;
    const before = await this.#find(this.cookieOf(request));
    const value = makeCookie((count) => ids.bytes(count));
    const row = this.#row(who, request);
    const org_ids = await audit.orgsOf(row);
    const all_org_ids = row.org_id === null ? org_ids : await audit.orgsOf({ ...row, org_id: null });
    const previous_org_ids = before && (await audit.orgsOf(before));
    const recordEnds = async (tx: Queries, ended: readonly SessionRow[], detail: string) => {
      for (const one of ended) {
        const session_org_ids = one === before ? previous_org_ids! : one.org_id === null ? all_org_ids : [one.org_id];
        const entry = { ...sourceOf(one, request), action: 'session.end', detail };
        const isReached = (org_id: string) => org_ids.includes(org_id);
        await audit.record(tx, session_org_ids.filter(isReached), entry);
        // Orgs that the new session cannot see must not learn about its request.
        const elsewhere = session_org_ids.filter((org_id) => !isReached(org_id));
        await audit.record(tx, elsewhere, { ...entry, request_id: '', ip: '' });
      }
    };
    await database.transaction(async (tx) => {
      await removeExpired(tx, row.created_at);
      const replaced = before && (await removeSession(tx, before.session_id)) ? [before] : [];
      await insertBegun(tx, row, value);
      const displaced = await removeOldest(tx, row.user_id, MAX_SESSIONS);
      await recordEnds(tx, replaced, 'this browser has signed in again');
      await recordEnds(tx, displaced, `a person can have at most ${MAX_SESSIONS}`);
      const detail = `by ${row.signed_in_by}, in ${row.browser}`;
      await audit.record(tx, org_ids, { ...sourceOf(row, request), action: 'session.begin', detail });
    });
    return this.#toBegunSession(row, value);
  }

  async of(request: CookieRequest): Promise<Session | undefined> {
    const recognised = await this.recognise(request);
    return recognised && { session_id: recognised.row.session_id, principal: recognised.principal };
  }

  cookieOf(request: Pick<CookieRequest, 'headers'>): CookieValue | undefined {
    return readCookie(this.rawCookieOf(request));
  }

  /** Returns the raw value of the request's cookie, valid or not; undefined when it is missing or empty. */
  rawCookieOf(request: Pick<CookieRequest, 'headers'>): string | undefined {
    return cookieNamed(cookieName(SESSION_COOKIE, this.#options.secure()), request) || undefined;
  }

  /** Finds the session of a cookie; undefined when there is none, or when it has ended. A stolen cookie ends its session. */
  async recognise(request: CookieRequest): Promise<Recognised | undefined> {
    const { database } = this.#options;
    const value = this.cookieOf(request);
    const row = await this.#find(value);
    if (!value || !row) return undefined;
    const now = database.now();
    const check = checkCookie(row, browserOf(request.headers['user-agent']).family, now);
    if (check.state === 'over') return undefined;
    if (check.state === 'stolen') {
      await this.#end(row, request, 'session.stolen', check.why);
      return undefined;
    }
    if (check.first) await recordFirstUse(database, row.session_id, row.generation, now);
    else if (check.touch) await recordUse(database, row.session_id, now);
    return { row, value, principal: principalOf(row), renew: check.renew };
  }

  /** Rotates the cookie. Returns no headers when a concurrent request has rotated it. */
  async renew({ row, value }: Recognised): Promise<Record<string, string>> {
    const { database, ids } = this.#options;
    const { session_id, issued, expires_at } = row;
    const next = makeCookie((count) => ids.bytes(count), value.lasting);
    const generation_at = database.now();
    const claimed = await database.transaction(async (tx) => {
      if (!(await claimRenewal(tx, session_id, issued, generation_at))) return false;
      await insertCookie(tx, {
        digest: digestOf(next.full_value),
        session_id,
        generation: issued + 1,
        generation_at,
        expires_at,
      });
      return true;
    });
    return claimed ? this.#cookie(next.full_value, expires_at - generation_at) : {};
  }

  view({ row, value }: Pick<Recognised, 'value'> & { row: SessionRow }) {
    return sessionView(row, csrfOf(value));
  }

  list(whose: Principal, page: Page): Promise<SessionRow[]> {
    return listSessions(this.#options.database, ownerOf(whose), this.#alive(), page);
  }

  #alive(): { now: number; idle_since: number } {
    const now = this.#options.database.now();
    return { now, idle_since: now - IDLE_MS };
  }

  /** Ends the session of this browser, if there is one. Returns the headers that delete the cookie. */
  async end(request: CookieRequest): Promise<Record<string, string>> {
    const row = await this.#find(this.cookieOf(request));
    if (row) await this.#end(row, request, 'session.end');
    return this.#cookie('', 0);
  }

  /** Ends one session of a person. Throws `not_found` for a session that others have or that has ended. */
  async endOne(person: Principal, session_id: string, by: AuditSource): Promise<void> {
    const { database, audit } = this.#options;
    const row = isId(session_id)
      ? await findSessionOfOwner(database, ownerOf(person), this.#alive(), session_id)
      : undefined;
    if (!row) throw Errors.notFound('you have no session with this ID');
    const org_ids = await audit.orgsOf(row);
    await database.transaction(async (tx) => {
      if (!(await removeSession(tx, session_id))) throw Errors.notFound('you have no session with this ID');
      await audit.record(tx, org_ids, { ...by, subject: row.user_name, action: 'session.end', detail: row.browser });
    });
  }

  /** Ends all sessions of a person or, for a token that is limited to an org, those based on such tokens. */
  async endAll(person: Principal, by: AuditSource): Promise<Record<string, string>> {
    const { database, audit } = this.#options;
    const org_ids = await audit.orgsOf({ user_id: person.id, org_id: person.org_id });
    await database.transaction(async (tx) => {
      const count = await removeAll(tx, ownerOf(person));
      const detail = count === 1 ? '1 session' : `${count} sessions`;
      await audit.record(tx, org_ids, { ...by, subject: person.name, action: 'session.everywhere', detail });
    });
    return this.#cookie('', 0);
  }

  async #end(row: PresentedRow, request: CookieRequest, action: string, detail?: string): Promise<void> {
    const { database, audit } = this.#options;
    const org_ids = await audit.orgsOf(row);
    await database.transaction(async (tx) => {
      // Only one of several requests that detect a theft writes the audit entry.
      if (!(await removeSession(tx, row.session_id))) return;
      await audit.record(tx, org_ids, { ...sourceOf(row, request), action, detail });
    });
  }

  /** Finds the session of a cookie, which may just have been created on another server. */
  async #find(value: CookieValue | undefined): Promise<PresentedRow | undefined> {
    if (!value) return undefined;
    const { database } = this.#options;
    const read = () => findPresented(database, digestOf(value.full_value));
    return (await read()) ?? ((await database.catchUp()) ? read() : undefined);
  }

  #row({ user_id, user_name, token, by }: SignIn, { headers }: CookieRequest): SessionRow {
    const { database, ids } = this.#options;
    const { family, label: browser } = browserOf(headers['user-agent']);
    const created_at = database.now();
    return {
      session_id: ids.next('ses'),
      token_id: token?.token_id ?? '',
      org_id: token?.org_id ?? null,
      user_id,
      user_name,
      signed_in_by: by,
      family,
      browser,
      created_at,
      expires_at: created_at + SESSION_MS,
      last_seen_at: created_at,
    };
  }

  #toBegunSession(row: SessionRow, value: CookieValue): BegunSession {
    return {
      view: this.view({ row, value }),
      headers: this.#cookie(value.full_value, row.expires_at - row.created_at),
    };
  }

  #cookie(value: string, max_age_ms: number): Record<string, string> {
    const secure = this.#options.secure();
    return { 'set-cookie': setCookie(cookieName(SESSION_COOKIE, secure), value, max_age_ms, secure) };
  }
}

async function insertBegun(tx: Queries, row: SessionRow, value: CookieValue): Promise<void> {
  const { session_id, created_at: generation_at, expires_at } = row;
  await insertSession(tx, row);
  await insertCookie(tx, { digest: digestOf(value.full_value), session_id, generation: 1, generation_at, expires_at });
}

const ownerOf = ({ id, org_id }: Principal) => ({ user_id: id, org_id });

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
