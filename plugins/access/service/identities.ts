import { timingSafeEqual } from 'node:crypto';
import { BoundedMap, type Clock, type Database, Errors, type Principal, iso } from '../../../kernel/contracts/index.ts';
import type { Reach, SessionGrants } from '../contract.ts';
import { type Identity, type OrgMembership, orgRoleOf } from '../domain/identity.ts';
import { UNLIMITED } from '../domain/roles.ts';
import { bearerToken, tokenDigest } from '../domain/token.ts';
import { membershipsOf } from '../store/members.ts';
import type { MemberRow, TokenRow } from '../store/models.ts';
import { findTokenByDigest, findTokenById } from '../store/tokens.ts';
import { userNames } from '../store/users.ts';
import type { LastUse } from './last-use.ts';

/** How long a revocation or role change at another server may go unnoticed here. */
export const CACHE_MS = 3000;
const CACHE_SIZE = 10_000;

/** What of a token decides; of a session without one nothing ends it but the session's own end. */
type Source = Omit<TokenRow, 'digest' | 'created_by' | 'created_at' | 'minted_by'> & { digest?: Buffer };
type Read = () => Promise<Source | undefined>;

interface Known {
  identity: Identity;
  token: Source;
  /** By the monotonic clock. */
  fresh_until: number;
}

export interface IdentitiesDeps {
  database: Database;
  clock: Clock;
  last_use: LastUse;
  sessions: readonly SessionGrants[];
}

/** The identity behind a token. Cached for a few seconds, so that a busy token costs no query for each request. */
export class Identities implements Reach {
  readonly #deps: IdentitiesDeps;
  readonly #known = new BoundedMap<string, Known>(CACHE_SIZE);
  readonly #loading = new Map<string, Promise<Known | undefined>>();
  /** The record of each principal, as long as somebody holds it and it is fresh. */
  readonly #byPrincipal = new WeakMap<Principal, { identity: Identity; epoch: number; fresh_until: number }>();
  #epoch = 0;

  constructor(deps: IdentitiesDeps) {
    this.#deps = deps;
  }

  /** Throws `not_authenticated` with what is wrong with the header or the token. */
  async authenticate(authorization: string | undefined): Promise<Identity> {
    const sent = bearerToken(authorization);
    if ('fault' in sent) throw Errors.notAuthenticated(sent.fault);
    const digest = tokenDigest(sent.token);
    const known = await this.#find(digest.toString('base64'), () => findTokenByDigest(this.#deps.database, digest));
    if (!known || !timingSafeEqual(digest, known.token.digest!))
      throw Errors.notAuthenticated('the server does not know this token');
    this.#checkValid(known.token);
    this.#deps.last_use.note(known.token);
    return known.identity;
  }

  /** The identity of a known principal. Throws `not_authenticated` when its token or its session has become invalid. */
  async of(principal: Principal): Promise<Identity> {
    const held = this.#byPrincipal.get(principal);
    const fresh = held?.epoch === this.#epoch && held.fresh_until > this.#deps.clock.monotonic();
    return fresh ? held.identity : this.current(principal);
  }

  async orgsOf(principal: Principal): Promise<string[]> {
    const identity = await this.of(principal);
    return [...identity.orgs.keys()].filter((org_id) => orgRoleOf(identity, org_id) !== undefined);
  }

  /** The present identity of a token or a session. Throws `not_authenticated`. */
  async current({ token_id, session_id }: Principal): Promise<Identity> {
    const known =
      session_id === undefined
        ? await this.#find(token_id, () => findTokenById(this.#deps.database, token_id))
        : await this.#find(session_id, () => this.#bySession(session_id), session_id);
    if (!known && session_id !== undefined) throw Errors.notAuthenticated('the session is over; sign in again');
    if (!known) throw Errors.notAuthenticated('the token of this connection no longer exists');
    this.#checkValid(known.token);
    return known.identity;
  }

  /** After any change of tokens, members or roles: drops everything that was read before. */
  forget(): void {
    this.#epoch += 1;
    this.#known.clear();
    this.#loading.clear();
  }

  async #bySession(session_id: string): Promise<Source | undefined> {
    for (const sessions of this.#deps.sessions) {
      const grant = await sessions.find(session_id);
      if (!grant) continue;
      const { user_id, token_id } = grant;
      if (token_id !== undefined) return findTokenById(this.#deps.database, token_id);
      const times = { expires_at: null, last_used_at: null, revoked_at: null };
      return { ...UNLIMITED, ...times, token_id: session_id, kind: 'user', user_id, name: 'session' };
    }
    return undefined;
  }

  #checkValid(token: Source): void {
    if (token.revoked_at !== null) throw Errors.notAuthenticated(`the token "${token.name}" was revoked`);
    if (token.expires_at === null || token.expires_at > this.#deps.database.now()) return;
    const when = iso(token.expires_at);
    throw Errors.notAuthenticated(`the token "${token.name}" expired at ${when}; make a new one`);
  }

  async #find(key: string, read: Read, session_id?: string): Promise<Known | undefined> {
    const known = this.#known.get(key);
    if (known && known.fresh_until > this.#deps.clock.monotonic()) return known;
    const running = this.#loading.get(key);
    if (running) return running;
    const load = this.#load(key, read, session_id).finally(() => {
      if (this.#loading.get(key) === load) this.#loading.delete(key);
    });
    this.#loading.set(key, load);
    return load;
  }

  async #load(key: string, read: Read, session_id: string | undefined): Promise<Known | undefined> {
    const epoch = this.#epoch;
    // It may have been made at another server just now.
    const token = (await read()) ?? ((await this.#deps.database.catchUp()) ? await read() : undefined);
    if (!token) return undefined;
    const identity = await this.#identify(token, session_id);
    const fresh_until = this.#deps.clock.monotonic() + CACHE_MS;
    const known = { identity, token, fresh_until };
    this.#byPrincipal.set(identity.principal, { identity, epoch, fresh_until });
    if (epoch === this.#epoch) this.#known.set(key, known);
    return known;
  }

  async #identify(token: Source, session_id: string | undefined): Promise<Identity> {
    const { database } = this.#deps;
    const { token_id, kind, user_id, org_id, project_id, role, expires_at } = token;
    const [names, members] =
      kind === 'user' ? await Promise.all([userNames(database, [user_id]), membershipsOf(database, user_id)]) : [];
    const principal: Principal =
      kind === 'user'
        ? { kind, id: user_id, name: names?.get(user_id) ?? '', token_id, org_id, ...(session_id && { session_id }) }
        : { kind, id: token_id, name: token.name, token_id, org_id, project_id };
    const limits = { org_id, project_id, role };
    return { principal, token: { name: token.name, expires_at, limits }, orgs: gather(members ?? []) };
  }
}

/** Memberships by org. A project membership without one in the org counts for nothing. */
function gather(members: readonly MemberRow[]): Map<string, OrgMembership> {
  const orgs = new Map<string, { role: 'owner' | 'member'; projects: Map<string, 'viewer' | 'member' | 'admin'> }>();
  for (const { org_id, project_id, role } of members)
    if (project_id === '') orgs.set(org_id, { role: role === 'owner' ? 'owner' : 'member', projects: new Map() });
  for (const { org_id, project_id, role } of members)
    if (project_id !== '' && role !== 'owner') orgs.get(org_id)?.projects.set(project_id, role);
  return orgs;
}
