import type { Queries } from '../../../../kernel/contracts/index.ts';
import type { AccountKey } from './accounts.ts';

/** An open intent to present a refresh token. The account's row is its lock. */
export interface RenewalRow extends AccountKey {
  account_id: string;
  request_id: string;
  presented: number;
  written_at: number;
  /** By this time the writer has an answer, or has failed. */
  until_at: number;
}

export async function openRenewal(on: Pick<Queries, 'read'>, account_id: string): Promise<RenewalRow | undefined> {
  const [row] = await on.read<RenewalRow>('SELECT * FROM accounts_renewals WHERE account_id = ?', [account_id]);
  return row;
}

/** The caller has locked the account. */
export async function putRenewal(tx: Queries, row: RenewalRow): Promise<void> {
  const { account_id, project_id, name, org_id, request_id, presented, written_at, until_at } = row;
  await removeRenewal(tx, account_id);
  await tx.write(
    `INSERT INTO accounts_renewals (account_id, project_id, name, org_id, request_id, presented, written_at, until_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [account_id, project_id, name, org_id, request_id, presented, written_at, until_at],
  );
}

export const removeRenewal = (tx: Queries, account_id: string): Promise<number> =>
  tx.write('DELETE FROM accounts_renewals WHERE account_id = ?', [account_id]);
