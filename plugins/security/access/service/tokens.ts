import type { Database, Ids, Transaction, Page } from '../../../../kernel/contracts/index.ts';
import { Errors } from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../../platform/audit/contract.ts';
import type { Scopes } from '../contract.ts';
import { expiresInMs } from '../domain/expiry.ts';
import { type Identity, orgRoleOf } from '../domain/identity.ts';
import { planToken } from '../domain/minting.ts';
import { checkName } from '../domain/names.ts';
import { type Limits, UNLIMITED } from '../domain/roles.ts';
import { TOKEN_BYTES, type TokenKind, tokenDigest, tokenText } from '../domain/token.ts';
import type { TokenRequest } from '../generated/create-token.ts';
import { type MemberKey, orgsOfUser, readMember } from '../store/members.ts';
import type { Models, TokenRow } from '../store/models.ts';
import { lockOrg } from '../store/orgs.ts';
import {
  findTokenByDigest,
  findTokenWithin,
  lockToken,
  insertToken,
  isWithin,
  listTokens,
  madeForOthersBy,
  mintedBy,
  type NewToken,
  renewToken,
  revokeToken,
  type TokenFilter,
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

/** What a revocation means for the tokens that the revoked one has created. */
export interface RevokedTokens {
  /** Tokens that were revoked along with it. */
  revoked: TokenRow[];
  /** Tokens that stay valid. */
  living: TokenRow[];
  /** The number of valid tokens that the caller may neither see nor revoke. */
  beyond_reach: number;
}

export class Tokens {
  readonly #deps: TokensDeps;

  constructor(deps: TokensDeps) {
    this.#deps = deps;
  }

  /** Creates a token, whose text is only in this result. `planToken` decides who may create which token. */
  async create(identity: Identity, request: TokenRequest, by: AuditSource): Promise<{ text: string; row: NewToken }> {
    const name = checkName(request.name, 'token', '/name');
    const kind = request.kind ?? 'user';
    const limits = await this.#limits(identity, request, kind);
    const for_user = request.user === undefined ? undefined : await this.#member(limits.org_id, request.user);
    const lives_ms = request.expires_in === undefined ? null : expiresInMs(request.expires_in);
    const expires_at = lives_ms === null ? null : this.#deps.database.now() + lives_ms;
    const plan = planToken(identity, { kind, limits, for_user: for_user?.user_id, expires_at });
    if (for_user && !for_user.is_member) throw Errors.notFound(`"${request.user}" is not a member of the org`);
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
      /** The token or session that creates it. Absent for the operator. */
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
      await this.#lockMembership(tx, row);
      await lockTokenInUse(tx, minted_by);
      await insertToken(tx, row);
      await this.#audit(tx, by, 'token.create', row);
    });
    return { text, row };
  }

  list(identity: Identity, page: Page): Promise<TokenRow[]> {
    return listTokens(this.#deps.models, visibleTokens(identity), page);
  }

  /** Reads a token. Throws `not_found`, also for tokens that the caller may not know about. */
  async read(identity: Identity, token_id: string): Promise<TokenRow> {
    const token = await findTokenWithin(this.#deps.models, visibleTokens(identity), token_id);
    if (!token) throw Errors.notFound('the token does not exist, or it is not yours');
    return token;
  }

  /**
   * Moves the end of an agent's token, so that its agent keeps its connection and its work. `planToken` decides as for a new
   * one, and the token ends with the one that renewed it last, as with the one that created it. Throws `not_found`, also for a
   * token that has ended or never ends.
   */
  async renew(identity: Identity, token_id: string, expires_in: number | string, by: AuditSource): Promise<TokenRow> {
    const token = await this.read(identity, token_id);
    if (token.kind !== 'agent')
      throw Errors.invalidRequest("only an agent's token can be renewed; create another token instead");
    const { database, identities } = this.#deps;
    const { org_id, project_id, role } = token;
    const { id: user_id, token_id: in_use } = identity.principal;
    const renewed_by = in_use === token.minted_by ? '' : isToken(in_use) ? in_use : user_id;
    const expires_at = database.now() + expiresInMs(expires_in);
    planToken(identity, { kind: 'agent', limits: { org_id, project_id, role }, for_user: undefined, expires_at });
    try {
      await database.transaction(async (tx) => {
        await lockOwner(tx, org_id, user_id);
        await lockTokenInUse(tx, in_use);
        if (!(await renewToken(tx, { token_id, expires_at, renewed_by }, database.now())))
          throw Errors.notFound('the token has expired, or it never expires');
        await this.#audit(tx, by, 'token.renew', token);
      });
    } finally {
      identities.invalidate();
    }
    return { ...token, expires_at };
  }

  /**
   * Revokes a token and, unless `keep_minted` is set, the tokens that it has created, directly or indirectly: at once on this
   * server, and within seconds on others. Tokens that the caller could not revoke directly stay valid. Throws `not_found`.
   */
  async revoke(
    identity: Identity,
    token_id: string,
    { keep_minted }: { keep_minted: boolean },
    by: AuditSource,
  ): Promise<RevokedTokens> {
    const token = await this.read(identity, token_id);
    const { database } = this.#deps;
    const revoke = async (tx: Transaction, minted_token: TokenRow) => {
      const first = await revokeToken(tx, minted_token.token_id, database.now());
      if (first)
        await this.#audit(
          tx,
          by,
          'token.revoke',
          minted_token,
          minted_token === token ? '' : `, created by ${token.token_id}`,
        );
      return first;
    };
    try {
      return await database.transaction(async (tx) => {
        if (!(await revoke(tx, token))) throw Errors.notFound('the token does not exist, or it is not yours');
        return this.#followMinted(
          tx,
          token,
          visibleTokens(identity),
          keep_minted ? undefined : (one) => revoke(tx, one),
        );
      });
    } finally {
      this.#deps.identities.invalidate();
    }
  }

  /**
   * Revokes what a user who leaves an org has created or renewed there for agents and other members, and what these tokens
   * created: they may still know its text. Returns the revoked tokens.
   */
  async revokeMadeBy(tx: Transaction, member: MemberKey & { name: string }, by: AuditSource): Promise<TokenRow[]> {
    const now = this.#deps.database.now();
    const revoked: TokenRow[] = [];
    for (let tokens = await madeForOthersBy(tx, member); tokens.length > 0; ) {
      for (const token of tokens) {
        if (token.org_id !== member.org_id || !(await revokeToken(tx, token.token_id, now))) continue;
        revoked.push(token);
        await this.#audit(tx, by, 'token.revoke', token, `, created or renewed by ${member.name}, who left`);
      }
      tokens = await mintedBy(
        tx,
        tokens.map(({ token_id }) => token_id),
      );
    }
    return revoked;
  }

  /** Follows the created tokens level by level. Revoked tokens are locked, so they cannot create more meanwhile. */
  async #followMinted(
    tx: Transaction,
    token: TokenRow,
    filter: TokenFilter,
    revoke: ((one: TokenRow) => Promise<boolean>) | undefined,
  ): Promise<RevokedTokens> {
    const now = this.#deps.database.now();
    const result: RevokedTokens = { revoked: [], living: [], beyond_reach: 0 };
    for (let makers = [token.token_id]; makers.length > 0; ) {
      const minted = await mintedBy(tx, makers);
      for (const minted_token of minted) {
        if (minted_token.revoked_at !== null) continue;
        const expired = minted_token.expires_at !== null && minted_token.expires_at <= now;
        if (!isWithin(filter, minted_token)) result.beyond_reach += expired ? 0 : 1;
        else if (revoke === undefined && !expired) result.living.push(minted_token);
        else if (await revoke?.(minted_token)) result.revoked.push(minted_token);
      }
      makers = minted.map(({ token_id }) => token_id);
    }
    return result;
  }

  /** Tells whether the text is a valid token of the user without any limit. */
  async isUnlimitedToken(text: string, user_id: string): Promise<boolean> {
    const row = await findTokenByDigest(this.#deps.database, tokenDigest(text));
    if (row?.user_id !== user_id || row.revoked_at !== null) return false;
    if (row.org_id !== null || row.project_id !== null || row.role !== null) return false;
    return row.expires_at === null || row.expires_at > this.#deps.database.now();
  }

  /**
   * Locks the membership that a token depends on: that of its user, or of the owner who creates it for an agent or a member. When
   * somebody leaves, these tokens are revoked, and one that is created at the same moment must not survive. Leaving the org or
   * one of its projects locks the same row.
   */
  async #lockMembership(
    tx: Transaction,
    { kind, user_id, org_id, project_id, created_by, minted_by }: Omit<NewToken, 'expires_at'>,
  ): Promise<void> {
    if (org_id === null) return;
    if (minted_by !== '' && created_by !== user_id) await lockOwner(tx, org_id, created_by);
    if (kind !== 'user') return;
    await lockOrg(tx, org_id);
    const member = await readMember(tx, { org_id, project_id: '', user_id });
    const ofProject = project_id !== null && created_by === user_id && member?.role !== 'owner';
    const here = member && (!ofProject || (await readMember(tx, { org_id, project_id, user_id })));
    if (!here) throw Errors.notFound('the org or the project does not exist, or the user is not a member of it');
  }

  /** Writes an audit entry wherever the token is valid: in its project, its org, or every org of its user. */
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
    const org_ids = orgs.length === 0 ? [''] : orgs;
    await this.#deps.audit.recordAll(
      tx,
      org_ids.map((org_id) => ({ ...entry, org_id })),
    );
  }

  async #limits(identity: Identity, request: TokenRequest, kind: TokenKind): Promise<Limits> {
    const role = request.role ?? null;
    const caller_org = identity.token.limits.org_id;
    const needsOrg = kind === 'agent' || request.project !== undefined || request.user !== undefined;
    const org_id =
      request.org === undefined
        ? needsOrg
          ? (caller_org ?? onlyOrg(identity))
          : null
        : await this.#org(identity, request.org);
    if (request.project === undefined) return { ...UNLIMITED, org_id, role };
    if (org_id === null)
      throw Errors.invalidRequest('specify the org of the project', {
        errors: [{ pointer: '/org', message: 'is missing' }],
      });
    const org = await this.#deps.scopes.orgName(org_id);
    const scope = await this.#deps.scopes.findProject(org, request.project);
    if (!scope) throw Errors.notFound('the project does not exist, or you are not a member of it');
    return { org_id, project_id: scope.project_id, role };
  }

  /** Checks the org before anything else is looked up, so that an org of others always looks like one that does not exist. */
  async #org(identity: Identity, name: string): Promise<string> {
    const org = await this.#deps.scopes.findOrg(name);
    if (!org || !orgRoleOf(identity, org.org_id))
      throw Errors.notFound('the org does not exist, or you are not a member of it');
    return org.org_id;
  }

  /** Finds the user. Only callers who may create the token learn whether the name exists. */
  async #member(org_id: string | null, name: string): Promise<{ user_id: string; is_member: boolean }> {
    const user = await findUserByName(this.#deps.database, name);
    if (!user || org_id === null) return { user_id: '', is_member: false };
    const member = await readMember(this.#deps.database, { org_id, project_id: '', user_id: user.user_id });
    return { user_id: user.user_id, is_member: member !== undefined };
  }
}

/**
 * Locks the token in use, because a token that is revoked at this moment must neither create nor renew another one. Sessions are
 * not tokens.
 */
async function lockTokenInUse(tx: Transaction, token_id: string): Promise<void> {
  if (!isToken(token_id) || (await lockToken(tx, token_id))) return;
  throw Errors.notAuthenticated('the token in use was revoked');
}

const isToken = (id: string): boolean => id.startsWith('tok_');

/** Locks the membership of an owner, who may have left or got a lower role since the request was checked. */
async function lockOwner(tx: Transaction, org_id: string | null, user_id: string): Promise<void> {
  if (org_id === null) return;
  await lockOrg(tx, org_id);
  const member = await readMember(tx, { org_id, project_id: '', user_id });
  if (member?.role !== 'owner') throw Errors.forbidden('this requires the owner role in the org');
}

const onlyOrg = ({ orgs }: Identity): string | null => (orgs.size === 1 ? [...orgs.keys()][0]! : null);

function visibleTokens(identity: Identity): TokenFilter {
  const orgs_as_owner = [...identity.orgs.keys()].filter((org_id) => orgRoleOf(identity, org_id) === 'owner');
  const { id, token_id } = identity.principal;
  return { user_id: id, token_id, limits: identity.token.limits, orgs_as_owner };
}
