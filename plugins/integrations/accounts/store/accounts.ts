import { inList, type Param, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import { type NamedRow, NamedTable, type ProjectScope } from '../../../platform/resources/contract.ts';
import type { ClientGrant } from '../../providers/contract.ts';
import { ACCOUNT } from '../domain/names.ts';
import type { Status } from '../domain/status.ts';

export interface AccountRow extends NamedRow {
  account_id: string;
  provider: string;
  far_id: string;
  far_label: string;
  status: Status;
  /** The time since which the account has its status. */
  status_at: number;
  /** The reason, as text for people. */
  reason: string | null;
  granter_id: string;
  granter: string;
  /** The requested and the granted scopes, as JSON lists. */
  scopes_asked: string;
  scopes: string;
  granted_at: number;
  renewed_at: number | null;
  expires_at: number | null;
  renewable: number;
  epoch: number;
  /** Sealed JSON. */
  tokens: Buffer;
  due_at: number | null;
  failures: number;
  last_error: string | null;
  last_used_at: number | null;
  last_used_by: string | null;
  checked_at: number | null;
  /** The client of an account that needs no person, as JSON. */
  client_grant: string | null;
}

/** Undefined for an account that a person granted. */
export const readClientGrant = ({ client_grant }: Pick<AccountRow, 'client_grant'>): ClientGrant | undefined =>
  client_grant === null ? undefined : (JSON.parse(client_grant) as ClientGrant);

type UsageColumn = 'last_used_at' | 'last_used_by' | 'checked_at';

/** The columns of a list. They omit the tokens and what only renewals need. */
const LISTED = [
  ...(['name', 'account_id', 'provider', 'far_id', 'far_label', 'status', 'status_at', 'reason', 'granter'] as const),
  ...(['scopes_asked', 'scopes', 'granted_at', 'renewed_at', 'expires_at', 'renewable', 'last_error'] as const),
  ...(['last_used_at', 'last_used_by', 'client_grant'] as const),
] satisfies (keyof AccountRow)[];
export type AccountEntry = Pick<AccountRow, (typeof LISTED)[number]>;

export const accounts = new NamedTable<AccountRow, AccountEntry, UsageColumn>({
  ...ACCOUNT,
  table: 'accounts_accounts',
  id: 'account_id',
  preserved: ['provider', 'far_id'],
  replaced: [
    'far_label',
    'status',
    'status_at',
    'reason',
    'granter_id',
    'granter',
    'scopes_asked',
    'scopes',
    'granted_at',
    'renewed_at',
    'expires_at',
    'renewable',
    'epoch',
    'tokens',
    'due_at',
    'failures',
    'last_error',
    'client_grant',
  ],
  other: ['last_used_at', 'last_used_by', 'checked_at'],
  listed: LISTED,
});

export type AccountKey = ProjectScope & Pick<AccountRow, 'name'>;

/** The columns that a transition may change. */
export type AccountChange = Partial<
  Omit<AccountRow, keyof ProjectScope | 'name' | 'account_id' | 'provider' | 'far_id'>
>;

/** The caller has locked the row. */
export function changeAccount(tx: Queries, key: AccountKey, change: AccountChange): Promise<number> {
  const columns = Object.keys(change) as (keyof AccountChange)[];
  const params = columns.map((column) => change[column] as Param);
  return tx.write(
    `UPDATE accounts_accounts SET ${columns.map((column) => `${column} = ?`).join(', ')}
     WHERE project_id = ? AND org_id = ? AND name = ?`,
    [...params, key.project_id, key.org_id, key.name],
  );
}

/** The states of accounts that exist. */
export function readStates(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  names: readonly string[],
): Promise<Pick<AccountRow, 'name' | 'status' | 'status_at'>[]> {
  const list = inList(names);
  return on.read(
    `SELECT name, status, status_at FROM accounts_accounts
     WHERE project_id = ? AND org_id = ? AND name IN ${list.placeholders}`,
    [project_id, org_id, ...list.params],
  );
}

/** The states of all accounts of a project. */
export const listStates = (
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
): Promise<Pick<AccountRow, 'name' | 'status' | 'status_at' | 'reason'>[]> =>
  on.read(
    `SELECT name, status, status_at, reason FROM accounts_accounts WHERE project_id = ? AND org_id = ? ORDER BY name`,
    [project_id, org_id],
  );

/** Accounts with something to do, the longest due first. */
export function dueAccounts(on: Pick<Queries, 'read'>, now: number, limit: number): Promise<AccountKey[]> {
  return on.read(
    `SELECT org_id, project_id, name FROM accounts_accounts WHERE due_at <= ?
     ORDER BY due_at LIMIT ${Math.trunc(limit)}`,
    [now],
  );
}

export async function nextDue(on: Pick<Queries, 'read'>, now: number): Promise<number | undefined> {
  const [row] = await on.read<{ due_at: number | null }>(
    'SELECT MIN(due_at) AS due_at FROM accounts_accounts WHERE due_at > ?',
    [now],
  );
  return row?.due_at === null || row === undefined ? undefined : Number(row.due_at);
}

/** Lists the accounts that a user granted, in an org or in one of its projects. */
export function listGrantedBy(
  tx: Transaction,
  { org_id, project_id, user_id }: { org_id: string; project_id: string | null; user_id: string },
): Promise<AccountKey[]> {
  const within = project_id === null ? '' : ' AND project_id = ?';
  return tx.read(
    `SELECT org_id, project_id, name FROM accounts_accounts WHERE granter_id = ? AND org_id = ?${within}
     ORDER BY project_id, name`,
    [user_id, org_id, ...(project_id === null ? [] : [project_id])],
  );
}

/** Records the use of an account, at most once a minute. */
export function recordUse(on: Queries, key: AccountKey, now: number, run_id: string | null): Promise<number> {
  return on.write(
    `UPDATE accounts_accounts SET last_used_at = ?, last_used_by = ?
     WHERE project_id = ? AND org_id = ? AND name = ? AND (last_used_at IS NULL OR last_used_at < ?)`,
    [now, run_id, key.project_id, key.org_id, key.name, now - 60_000],
  );
}

/** Returns true when no other check of the grant has begun within a minute. */
export async function claimCheck(on: Queries, key: AccountKey, now: number): Promise<boolean> {
  const updated = await on.write(
    `UPDATE accounts_accounts SET checked_at = ?
     WHERE project_id = ? AND org_id = ? AND name = ? AND (checked_at IS NULL OR checked_at < ?)`,
    [now, key.project_id, key.org_id, key.name, now - 60_000],
  );
  return updated === 1;
}

export async function countByStatus(on: Pick<Queries, 'read'>): Promise<ReadonlyMap<Status, number>> {
  const rows = await on.read<{ status: Status; n: number }>(
    'SELECT status, COUNT(*) AS n FROM accounts_accounts GROUP BY status',
  );
  return new Map(rows.map(({ status, n }) => [status, Number(n)]));
}
