import { timingSafeEqual } from 'node:crypto';
import {
  BoundedMap,
  type Clock,
  type Database,
  Errors,
  type Principal,
  iso,
} from '../../../../kernel/contracts/index.ts';
import type { VisibleOrgs, SessionGrants } from '../contract.ts';
import { type Identity, type OrgMembership, orgRoleOf } from '../domain/identity.ts';
import { UNLIMITED } from '../domain/roles.ts';
import { bearerToken, tokenDigest } from '../domain/token.ts';
import { membershipsOf } from '../store/members.ts';
import type { MemberRow, TokenRow } from '../store/models.ts';
import { findTokenByDigest, findTokenById } from '../store/tokens.ts';
import { userNames } from '../store/users.ts';
import type { LastUse } from './last-use.ts';

/** How long a revocation or role change on another server may go unnoticed here. */
export const CACHE_MS = 3000;
const CACHE_SIZE = 10_000;

/** The properties of a token that matter here. For a session without a token, these never expire. */
type Source = Omit<TokenRow, 'digest' | 'created_by' | 'created_at' | 'minted_by' | 'renewed_by'> & { digest?: Buffer };
type Read = () => Promise<Source | undefined>;

interface CachedIdentity {
  identity: Identity;
  token: Source;
  /** By the monotonic clock. */
  expires_at: number;
}

export interface IdentitiesDeps {
  database: Database;
  clock: Clock;
  last_use: LastUse;
  sessions: readonly SessionGrants[];
}

/** Finds the identity behind a token. It is cached for a few seconds, so that a busy token costs no query for each request. */
export class Identities implements VisibleOrgs {
  readonly #deps: IdentitiesDeps;
  readonly #cache = new BoundedMap<string, CachedIdentity>(CACHE_SIZE);
  readonly #loading = new Map<string, Promise<CachedIdentity | undefined>>();
  /** The identity of each principal, for as long as the principal is referenced and the entry has not expired. */
  readonly #byPrincipal = new WeakMap<Principal, { identity: Identity; epoch: number; fresh_until: number }>();
  #epoch = 0;

  constructor(deps: IdentitiesDeps) {
    this.#deps = deps;
  }

  /** Authenticates a request. Throws `not_authenticated`, which says what is wrong with the header or the token. */
  async authenticate(authorization: string | undefined): Promise<Identity> {
    const sent = bearerToken(authorization);
    if ('error' in sent) throw Errors.notAuthenticated(sent.error);
    const digest = tokenDigest(sent.token);
    const entry = await this.#find(digest.toString('base64'), () => findTokenByDigest(this.#deps.database, digest));
    if (!entry || !timingSafeEqual(digest, entry.token.digest!))
      throw Errors.notAuthenticated('the server does not know this token');
    this.#checkValid(entry.token);
    this.#deps.last_use.recordUse(entry.token);
    return entry.identity;
  }

  /** Returns the identity of a principal. Throws `not_authenticated` when its token or session is no longer valid. */
  async get(principal: Principal): Promise<Identity> {
    const cached = this.#byPrincipal.get(principal);
    const is_current = cached?.epoch === this.#epoch && cached.fresh_until > this.#deps.clock.monotonic();
    return is_current ? cached.identity : this.current(principal);
  }

  async orgsOf(principal: Principal): Promise<string[]> {
    const identity = await this.get(principal);
    return [...identity.orgs.keys()].filter((org_id) => orgRoleOf(identity, org_id) !== undefined);
  }

  /** Returns the current identity of a token or a session. Throws `not_authenticated`. */
  async current({ token_id, session_id }: Principal): Promise<Identity> {
    const entry =
      session_id === undefined
        ? await this.#find(token_id, () => findTokenById(this.#deps.database, token_id))
        : await this.#find(session_id, () => this.#bySession(session_id), session_id);
    if (!entry && session_id !== undefined) throw Errors.notAuthenticated('the session has expired; sign in again');
    if (!entry) throw Errors.notAuthenticated("this connection's token no longer exists");
    this.#checkValid(entry.token);
    return entry.identity;
  }

  /** Drops everything that was read before. Call it after any change of tokens, members or roles. */
  invalidate(): void {
    this.#epoch += 1;
    this.#cache.clear();
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
    throw Errors.notAuthenticated(`the token "${token.name}" expired at ${when}; create a new one`);
  }

  async #find(key: string, read: Read, session_id?: string): Promise<CachedIdentity | undefined> {
    const cached = this.#cache.get(key);
    if (cached && cached.expires_at > this.#deps.clock.monotonic()) return cached;
    const running = this.#loading.get(key);
    if (running) return running;
    const load = this.#load(key, read, session_id).finally(() => {
      if (this.#loading.get(key) === load) this.#loading.delete(key);
    });
    this.#loading.set(key, load);
    return load;
  }

  async #load(key: string, read: Read, session_id: string | undefined): Promise<CachedIdentity | undefined> {
    const epoch = this.#epoch;
    // The token may just have been created on another server.
    const token = (await read()) ?? ((await this.#deps.database.catchUp()) ? await read() : undefined);
    if (!token) return undefined;
    const identity = await this.#identify(token, session_id);
    const expires_at = this.#deps.clock.monotonic() + CACHE_MS;
    const entry: CachedIdentity = { identity, token, expires_at };
    this.#byPrincipal.set(identity.principal, { identity, epoch, fresh_until: expires_at });
    if (epoch === this.#epoch) this.#cache.set(key, entry);
    return entry;
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

/** Groups memberships by org. A project membership without one in the org has no effect. */
function gather(members: readonly MemberRow[]): Map<string, OrgMembership> {
  const orgs = new Map<string, { role: 'owner' | 'member'; projects: Map<string, 'viewer' | 'member' | 'admin'> }>();
  for (const { org_id, project_id, role } of members)
    if (project_id === '') orgs.set(org_id, { role: role === 'owner' ? 'owner' : 'member', projects: new Map() });
  for (const { org_id, project_id, role } of members)
    if (project_id !== '' && role !== 'owner') orgs.get(org_id)?.projects.set(project_id, role);
  return orgs;
}
