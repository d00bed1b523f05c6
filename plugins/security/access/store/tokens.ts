import { Op, type WhereOptions } from 'sequelize';
import { chunks, inList, type Page, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import { type Limits, PROJECT_ROLES, projectRank } from '../domain/roles.ts';
import type { MemberKey } from './members.ts';
import type { Models, TokenRow, Reading } from './models.ts';

const READ = `SELECT token_id, digest, kind, user_id, org_id, project_id, role, name, created_by, minted_by, renewed_by,
  created_at, expires_at, last_used_at, revoked_at FROM access_tokens`;

export async function findTokenByDigest(on: Reading, digest: Buffer): Promise<TokenRow | undefined> {
  const rows = await on.read<TokenRow>(`${READ} WHERE digest = ?`, [digest]);
  return rows[0];
}

export async function findTokenById(on: Reading, token_id: string): Promise<TokenRow | undefined> {
  const rows = await on.read<TokenRow>(`${READ} WHERE token_id = ?`, [token_id]);
  return rows[0];
}

/** Selects the tokens that a caller may see and revoke. */
export interface TokenFilter {
  user_id: string;
  /** The token in use, which is always visible. */
  token_id: string;
  /** Other tokens must not allow more than these limits. */
  limits: Limits;
  /** The orgs that the caller owns. Every token that is limited to one of them is visible. */
  orgs_as_owner: readonly string[];
}

function visibleTokensFilter(filter: TokenFilter): WhereOptions<TokenRow> {
  const { org_id, project_id, role } = filter.limits;
  const roles = role === null ? [] : PROJECT_ROLES.filter((one) => projectRank(one) <= projectRank(role));
  const narrowed = {
    ...(org_id === null ? {} : { org_id }),
    ...(project_id === null ? {} : { project_id }),
    ...(role === null ? {} : { role: roles }),
  };
  const whose = { [Op.or]: [{ user_id: filter.user_id }, { org_id: [...filter.orgs_as_owner] }] };
  return {
    [Op.and]: [{ revoked_at: null }, { [Op.or]: [{ token_id: filter.token_id }, { [Op.and]: [whose, narrowed] }] }],
  } as WhereOptions<TokenRow>;
}

/** Applies the same filter to a token that has already been read. */
export function isWithin(filter: TokenFilter, token: TokenRow): boolean {
  const { org_id, project_id, role } = filter.limits;
  const mine =
    token.user_id === filter.user_id || (token.org_id !== null && filter.orgs_as_owner.includes(token.org_id));
  const narrow =
    (org_id === null || token.org_id === org_id) &&
    (project_id === null || token.project_id === project_id) &&
    (role === null || (token.role !== null && projectRank(token.role) <= projectRank(role)));
  return token.token_id === filter.token_id || (mine && narrow);
}

/** Lists valid and expired tokens, newest first, but no revoked ones. Returns one row more than a page. */
export async function listTokens({ tokens }: Models, filter: TokenFilter, page: Page): Promise<TokenRow[]> {
  const before = page.before === undefined ? [] : [{ token_id: { [Op.lt]: page.before } }];
  const where = { [Op.and]: [visibleTokensFilter(filter), ...before] };
  const rows = await tokens.findAll({ where, order: [['token_id', 'DESC']], limit: page.limit + 1, raw: true });
  return rows as unknown as TokenRow[];
}

const ASCII = /^[ -~]*$/;

export async function findTokenWithin(
  { tokens }: Models,
  filter: TokenFilter,
  token_id: string,
): Promise<TokenRow | null> {
  // MySQL fails when it compares other characters with an id.
  if (!ASCII.test(token_id)) return null;
  const where = { [Op.and]: [visibleTokensFilter(filter), { token_id }] };
  return (await tokens.findOne({ where, raw: true })) as TokenRow | null;
}

/** Returns the tokens that these tokens have created or renewed last, revoked or not, each once. */
export async function mintedBy(on: Pick<Queries, 'read'>, token_ids: readonly string[]): Promise<TokenRow[]> {
  const rows = new Map<string, TokenRow>();
  for (const batch of chunks(token_ids))
    for (const column of ['minted_by', 'renewed_by']) {
      const list = inList(batch);
      const found = await on.read<TokenRow>(
        `${READ} WHERE ${column} IN ${list.placeholders} ORDER BY token_id`,
        list.params,
      );
      for (const row of found) rows.set(row.token_id, row);
    }
  return [...rows.values()];
}

/** Returns the valid tokens of an org that a user has created or renewed for agents and others. */
export async function madeForOthersBy(tx: Transaction, { org_id, user_id }: MemberKey): Promise<TokenRow[]> {
  return tx.read<TokenRow>(
    `${READ} WHERE org_id = ? AND user_id <> ? AND revoked_at IS NULL AND (created_by = ? OR renewed_by = ?
       OR renewed_by IN (SELECT mine.token_id FROM access_tokens mine WHERE mine.user_id = ?)) ORDER BY token_id`,
    [org_id, user_id, user_id, user_id, user_id],
  );
}

/** Locks a token, so that it is not revoked meanwhile. Returns false when it is revoked or does not exist. */
export async function lockToken(tx: Transaction, token_id: string): Promise<boolean> {
  const [row] = await tx.lock<Pick<TokenRow, 'revoked_at'>>({
    table: 'access_tokens',
    key: ['token_id'],
    columns: 'revoked_at',
    where: 'token_id = ?',
    params: [token_id],
  });
  return row !== undefined && row.revoked_at === null;
}

/** Revokes a token. Returns false when it was already revoked. */
export async function revokeToken(tx: Transaction, token_id: string, now: number): Promise<boolean> {
  const changed = await tx.write('UPDATE access_tokens SET revoked_at = ? WHERE token_id = ? AND revoked_at IS NULL', [
    now,
    token_id,
  ]);
  return changed === 1;
}

/** Returns false for a token that was revoked or has expired. */
export async function renewToken(
  tx: Transaction,
  { token_id, expires_at, renewed_by }: Pick<TokenRow, 'token_id' | 'renewed_by'> & { expires_at: number },
  now: number,
): Promise<boolean> {
  const changed = await tx.write(
    `UPDATE access_tokens SET expires_at = ?, renewed_by = ?
     WHERE token_id = ? AND revoked_at IS NULL AND expires_at > ?`,
    [expires_at, renewed_by, token_id, now],
  );
  return changed === 1;
}

/** Revokes a user's tokens for a scope, so that they do not become valid again when the user returns. */
export async function revokeTokensOf(tx: Transaction, membership: MemberKey, now: number): Promise<void> {
  const { org_id, project_id, user_id } = membership;
  const project = project_id === '' ? '' : ' AND project_id = ?';
  await tx.write(
    `UPDATE access_tokens SET revoked_at = ? WHERE user_id = ? AND org_id = ? AND revoked_at IS NULL${project}`,
    [now, user_id, org_id, ...(project_id === '' ? [] : [project_id])],
  );
}

/** Writes the time of use, unless the stored one is less than `apart_ms` older. */
export async function touchTokens(
  { tokens }: Models,
  token_ids: readonly string[],
  used: { at: number; apart_ms: number },
): Promise<void> {
  const before = { [Op.or]: [{ [Op.is]: null }, { [Op.lte]: used.at - used.apart_ms }] };
  const where = { token_id: [...token_ids], last_used_at: before } as WhereOptions<TokenRow>;
  await tokens.update({ last_used_at: used.at }, { where });
}

export type NewToken = Omit<TokenRow, 'last_used_at' | 'revoked_at' | 'renewed_by'>;

export async function insertToken(queries: Queries, token: NewToken): Promise<void> {
  await queries.write(
    `INSERT INTO access_tokens
       (token_id, digest, kind, user_id, org_id, project_id, role, name, created_by, minted_by, created_at,
        expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      token.token_id,
      token.digest,
      token.kind,
      token.user_id,
      token.org_id,
      token.project_id,
      token.role,
      token.name,
      token.created_by,
      token.minted_by,
      token.created_at,
      token.expires_at,
    ],
  );
}
