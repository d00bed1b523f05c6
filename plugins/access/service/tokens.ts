import type { Database, Ids, Transaction, Page } from '../../../kernel/contracts/index.ts';
import { Errors } from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import type { Scopes } from '../contract.ts';
import { expiresInMs } from '../domain/expiry.ts';
import { type Identity, orgRoleOf } from '../domain/identity.ts';
import { planToken } from '../domain/minting.ts';
import { checkName } from '../domain/names.ts';
import { type Limits, UNLIMITED } from '../domain/roles.ts';
import { TOKEN_BYTES, type TokenKind, tokenDigest, tokenText } from '../domain/token.ts';
import type { TokenRequest } from '../generated/create-token.ts';
import { orgsOfUser, readMember } from '../store/members.ts';
import type { Models, TokenRow } from '../store/models.ts';
import { lockOrg } from '../store/orgs.ts';
import {
  findTokenByDigest,
  findTokenWithin,
  holdToken,
  insertToken,
  isWithin,
  listTokens,
  mintedBy,
  type NewToken,
  revokeToken,
  type TokenReach,
} from '../store/tokens.ts';
import { findUserByName } from '../store/users.ts';
import type { Identities } from './identities.ts';

export interface TokensDeps {
  models: Models;
  database: Database;
  ids: Ids;
  scopes: Scopes;
  identities: Identities;
  audit: Audit;
}

/** What came of a revocation for the tokens that the revoked one has made. */
export interface RevokedTokens {
  /** Revoked with it. */
  revoked: TokenRow[];
  /** They are as valid as before. */
  living: TokenRow[];
  /** Valid ones that the caller may neither see nor revoke. */
  beyond_reach: number;
}

export class Tokens {
  readonly #deps: TokensDeps;

  constructor(deps: TokensDeps) {
    this.#deps = deps;
  }

  /** Only this answer contains the token's text. `planToken` decides who may create which token. */
  async create(identity: Identity, request: TokenRequest, by: AuditSource): Promise<{ text: string; row: NewToken }> {
    const name = checkName(request.name, 'token', '/name');
    const kind = request.kind ?? 'user';
    const limits = await this.#limits(identity, request, kind);
    const for_user = request.user === undefined ? undefined : await this.#member(limits.org_id, request.user);
    const lives_ms = request.expires_in === undefined ? null : expiresInMs(request.expires_in);
    const expires_at = lives_ms === null ? null : this.#deps.database.now() + lives_ms;
    const plan = planToken(identity, { kind, limits, for_user: for_user?.wanted, expires_at });
    if (for_user && !for_user.found) throw Errors.notFound(`"${request.user}" is not a member of the org`);
    const { id: created_by, token_id: minted_by } = identity.principal;
    return this.issue({ ...plan, kind, name, created_by, minted_by }, by);
  }

  /** Creates and stores a token without an access check. */
  async issue(
    token: {
      kind: TokenKind;
      user_id: string;
      limits: Limits;
      expires_at: number | null;
      name: string;
      created_by: string;
      /** Absent: no token and no session, but the operator. */
      minted_by?: string;
    },
    by: AuditSource,
  ): Promise<{ text: string; row: NewToken }> {
    const { ids, database } = this.#deps;
    const { limits, minted_by = '', ...rest } = token;
    const text = tokenText(token.kind, ids.bytes(TOKEN_BYTES));
    const made = { token_id: ids.next('tok'), digest: tokenDigest(text), created_at: database.now() };
    const row = { ...made, ...rest, ...limits, minted_by };
    await database.transaction(async (tx) => {
      await this.#holdMembership(tx, row);
      await holdMinting(tx, minted_by);
      await insertToken(tx, row);
      await this.#audit(tx, by, 'token.create', row);
    });
    return { text, row };
  }

  list(identity: Identity, page: Page): Promise<TokenRow[]> {
    return listTokens(this.#deps.models, reachOf(identity), page);
  }

  /** Throws `not_found`, also for tokens that the caller may not know of. */
  async read(identity: Identity, token_id: string): Promise<TokenRow> {
    const found = await findTokenWithin(this.#deps.models, reachOf(identity), token_id);
    if (!found) throw Errors.notFound('the token does not exist, or it is not yours');
    return found;
  }

  /**
   * Revokes a token and, unless `keep_minted` says otherwise, those that it made and that these made: at once here, within
   * seconds on other servers. Only what the caller may revoke alone goes with it. Throws `not_found`.
   */
  async revoke(
    identity: Identity,
    token_id: string,
    { keep_minted }: { keep_minted: boolean },
    by: AuditSource,
  ): Promise<RevokedTokens> {
    const token = await this.read(identity, token_id);
    const { database } = this.#deps;
    const revoke = async (tx: Transaction, one: TokenRow) => {
      const first = await revokeToken(tx, one.token_id, database.now());
      if (first) await this.#audit(tx, by, 'token.revoke', one, one === token ? '' : `, made by ${token.token_id}`);
      return first;
    };
    try {
      return await database.transaction(async (tx) => {
        if (!(await revoke(tx, token))) throw Errors.notFound('the token does not exist, or it is not yours');
        return this.#followMinted(tx, token, reachOf(identity), keep_minted ? undefined : (one) => revoke(tx, one));
      });
    } finally {
      this.#deps.identities.forget();
    }
  }

  /** Level by level: a token that is held as revoked makes no further one. */
  async #followMinted(
    tx: Transaction,
    token: TokenRow,
    reach: TokenReach,
    revoke: ((one: TokenRow) => Promise<boolean>) | undefined,
  ): Promise<RevokedTokens> {
    const now = this.#deps.database.now();
    const found: RevokedTokens = { revoked: [], living: [], beyond_reach: 0 };
    for (let makers = [token.token_id]; makers.length > 0; ) {
      const minted = await mintedBy(tx, makers);
      for (const one of minted) {
        if (one.revoked_at !== null) continue;
        const expired = one.expires_at !== null && one.expires_at <= now;
        if (!isWithin(reach, one)) found.beyond_reach += expired ? 0 : 1;
        else if (revoke === undefined && !expired) found.living.push(one);
        else if (await revoke?.(one)) found.revoked.push(one);
      }
      makers = minted.map(({ token_id }) => token_id);
    }
    return found;
  }

  /** True when the text is a valid token of the user without any limit. */
  async isWhole(text: string, user_id: string): Promise<boolean> {
    const row = await findTokenByDigest(this.#deps.database, tokenDigest(text));
    if (row?.user_id !== user_id || row.revoked_at !== null) return false;
    if (row.org_id !== null || row.project_id !== null || row.role !== null) return false;
    return row.expires_at === null || row.expires_at > this.#deps.database.now();
  }

  /**
   * Somebody who leaves takes his tokens along: one that is made at the same moment must not stay. Who leaves the org
   * or a project of it holds the same row.
   */
  async #holdMembership(tx: Transaction, { kind, user_id, org_id, project_id, created_by }: NewToken): Promise<void> {
    if (kind !== 'user' || org_id === null) return;
    await lockOrg(tx, org_id);
    const member = await readMember(tx, { org_id, project_id: '', user_id });
    const ofProject = project_id !== null && created_by === user_id && member?.role !== 'owner';
    const here = member && (!ofProject || (await readMember(tx, { org_id, project_id, user_id })));
    if (!here) throw Errors.notFound('the org or the project does not exist, or the user is not a member of it');
  }

  /** An audit entry wherever the token reaches: in its project, its org, or every org of its user. */
  async #audit(tx: Transaction, by: AuditSource, action: string, token: NewToken, more = ''): Promise<void> {
    const { principal, request_id, ip } = by;
    const orgs = token.org_id === null ? await orgsOfUser(tx, token.user_id) : [token.org_id];
    const entry = {
      principal,
      request_id,
      ip,
      project_id: token.project_id,
      action,
      subject: token.token_id,
      detail: `${token.kind} ${token.name}${token.role === null ? '' : `, at most ${token.role}`}${more}`,
    };
    const places = orgs.length === 0 ? [''] : orgs;
    await this.#deps.audit.recordAll(
      tx,
      places.map((org_id) => ({ ...entry, org_id })),
    );
  }

  async #limits(identity: Identity, request: TokenRequest, kind: TokenKind): Promise<Limits> {
    const role = request.role ?? null;
    const own = identity.token.limits.org_id;
    const needsOrg = kind === 'agent' || request.project !== undefined || request.user !== undefined;
    const org_id =
      request.org === undefined
        ? needsOrg
          ? (own ?? onlyOrg(identity))
          : null
        : await this.#org(identity, request.org);
    if (request.project === undefined) return { ...UNLIMITED, org_id, role };
    if (org_id === null)
      throw Errors.invalidRequest('name the org of the project', {
        errors: [{ pointer: '/org', message: 'is missing' }],
      });
    const org = await this.#deps.scopes.orgName(org_id);
    const scope = await this.#deps.scopes.findProject(org, request.project);
    if (!scope) throw Errors.notFound('the project does not exist, or you are not a member of it');
    return { org_id, project_id: scope.project_id, role };
  }

  /** Checked before anything else is looked up, so that a foreign org always answers like an absent one. */
  async #org(identity: Identity, name: string): Promise<string> {
    const found = await this.#deps.scopes.findOrg(name);
    if (!found || !orgRoleOf(identity, found.org_id))
      throw Errors.notFound('the org does not exist, or you are not a member of it');
    return found.org_id;
  }

  /** Only those who may create the token learn whether the name exists. */
  async #member(org_id: string | null, name: string): Promise<{ wanted: string; found: boolean }> {
    const user = await findUserByName(this.#deps.database, name);
    if (!user || org_id === null) return { wanted: '', found: false };
    const member = await readMember(this.#deps.database, { org_id, project_id: '', user_id: user.user_id });
    return { wanted: user.user_id, found: member !== undefined };
  }
}

/** A token that is revoked at the same moment with all that it made must make no further one. Sessions are no tokens. */
async function holdMinting(tx: Transaction, minted_by: string): Promise<void> {
  if (!minted_by.startsWith('tok_') || (await holdToken(tx, minted_by))) return;
  throw Errors.notAuthenticated('the token in use was revoked');
}

const onlyOrg = ({ orgs }: Identity): string | null => (orgs.size === 1 ? [...orgs.keys()][0]! : null);

function reachOf(identity: Identity): TokenReach {
  const owned = [...identity.orgs.keys()].filter((org_id) => orgRoleOf(identity, org_id) === 'owner');
  const { id, token_id } = identity.principal;
  return { user_id: id, token_id, limits: identity.token.limits, owned };
}
