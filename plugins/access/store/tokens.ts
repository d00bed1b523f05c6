import { Op, type WhereOptions } from 'sequelize';
import { chunks, inList, type Page, type Queries, type Transaction } from '../../../kernel/contracts/index.ts';
import { type Limits, PROJECT_ROLES, projectRank } from '../domain/roles.ts';
import type { MemberKey } from './members.ts';
import type { Models, TokenRow, Reading } from './models.ts';

const READ = `SELECT token_id, digest, kind, user_id, org_id, project_id, role, name, created_by, minted_by, created_at,
  expires_at, last_used_at, revoked_at FROM access_tokens`;

export async function findTokenByDigest(on: Reading, digest: Buffer): Promise<TokenRow | undefined> {
  const rows = await on.read<TokenRow>(`${READ} WHERE digest = ?`, [digest]);
  return rows[0];
}

export async function findTokenById(on: Reading, token_id: string): Promise<TokenRow | undefined> {
  const rows = await on.read<TokenRow>(`${READ} WHERE token_id = ?`, [token_id]);
  return rows[0];
}

/** Which tokens a caller may see and revoke. */
export interface TokenReach {
  user_id: string;
  /** The token in hand: always in reach. */
  token_id: string;
  /** Only tokens that allow no more than this one. */
  limits: Limits;
  /** Orgs of which the caller is owner: every token limited to them. */
  owned: readonly string[];
}

function within(reach: TokenReach): WhereOptions<TokenRow> {
  const { org_id, project_id, role } = reach.limits;
  const roles = role === null ? [] : PROJECT_ROLES.filter((one) => projectRank(one) <= projectRank(role));
  const narrowed = {
    ...(org_id === null ? {} : { org_id }),
    ...(project_id === null ? {} : { project_id }),
    ...(role === null ? {} : { role: roles }),
  };
  const whose = { [Op.or]: [{ user_id: reach.user_id }, { org_id: [...reach.owned] }] };
  return {
    [Op.and]: [{ revoked_at: null }, { [Op.or]: [{ token_id: reach.token_id }, { [Op.and]: [whose, narrowed] }] }],
  } as WhereOptions<TokenRow>;
}

/** The same of a token that was read already. */
export function isWithin(reach: TokenReach, token: TokenRow): boolean {
  const { org_id, project_id, role } = reach.limits;
  const mine = token.user_id === reach.user_id || (token.org_id !== null && reach.owned.includes(token.org_id));
  const narrow =
    (org_id === null || token.org_id === org_id) &&
    (project_id === null || token.project_id === project_id) &&
    (role === null || (token.role !== null && projectRank(token.role) <= projectRank(role)));
  return token.token_id === reach.token_id || (mine && narrow);
}

/** Valid and expired tokens, without revoked ones; newest first, one row more than a page. */
export async function listTokens({ tokens }: Models, reach: TokenReach, page: Page): Promise<TokenRow[]> {
  const before = page.before === undefined ? [] : [{ token_id: { [Op.lt]: page.before } }];
  const where = { [Op.and]: [within(reach), ...before] };
  const found = await tokens.findAll({ where, order: [['token_id', 'DESC']], limit: page.limit + 1, raw: true });
  return found as unknown as TokenRow[];
}

const ASCII = /^[ -~]*$/;

export async function findTokenWithin(
  { tokens }: Models,
  reach: TokenReach,
  token_id: string,
): Promise<TokenRow | null> {
  // MySQL does not compare other letters with an id.
  if (!ASCII.test(token_id)) return null;
  const where = { [Op.and]: [within(reach), { token_id }] };
  return (await tokens.findOne({ where, raw: true })) as TokenRow | null;
}

/** What some tokens have made, revoked or not. */
export async function mintedBy(on: Pick<Queries, 'read'>, token_ids: readonly string[]): Promise<TokenRow[]> {
  const found: TokenRow[] = [];
  for (const some of chunks(token_ids)) {
    const list = inList(some);
    found.push(...(await on.read<TokenRow>(`${READ} WHERE minted_by IN ${list.marks} ORDER BY token_id`, list.params)));
  }
  return found;
}

/** Holds a token, so that it is not revoked meanwhile. False when it is not valid any more, or is no token. */
export async function holdToken(tx: Transaction, token_id: string): Promise<boolean> {
  const [row] = await tx.lock<Pick<TokenRow, 'revoked_at'>>({
    table: 'access_tokens',
    key: ['token_id'],
    columns: 'revoked_at',
    where: 'token_id = ?',
    params: [token_id],
  });
  return row !== undefined && row.revoked_at === null;
}

/** False when it was revoked before. */
export async function revokeToken(tx: Transaction, token_id: string, now: number): Promise<boolean> {
  const changed = await tx.write('UPDATE access_tokens SET revoked_at = ? WHERE token_id = ? AND revoked_at IS NULL', [
    now,
    token_id,
  ]);
  return changed === 1;
}

/** Tokens for a scope that a user leaves must not become valid again when the user returns. */
export async function revokeTokensOf(tx: Transaction, left: MemberKey, now: number): Promise<void> {
  const { org_id, project_id, user_id } = left;
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

export type NewToken = Omit<TokenRow, 'last_used_at' | 'revoked_at'>;

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
