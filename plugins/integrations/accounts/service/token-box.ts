import type { SealContext, Sealer } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';
import type { AccountRow } from '../store/accounts.ts';

/** The stored tokens of a grant. */
export interface StoredTokens {
  access_token: string;
  refresh_token?: string;
  /** The secret or the private key of the client of an account that needs no person. */
  client_secret?: string;
}

/**
 * Binds the tokens to the account and its epoch, so that tokens of another account or a restored older row do not
 * decrypt.
 */
const sealContextOf = ({ org_id, project_id }: ProjectScope, account_id: string, epoch: number): SealContext => ({
  org_id,
  project_id,
  table: 'accounts_accounts',
  kind: 'account',
  name: account_id,
  field: `tokens/${epoch}`,
});

type Box = ProjectScope & Pick<AccountRow, 'account_id' | 'epoch'>;

/** The caller has prepared the org's keys. */
export const sealTokens = (
  sealer: Sealer,
  box: Box,
  { access_token, refresh_token, client_secret }: StoredTokens,
): Buffer =>
  sealer.seal(
    sealContextOf(box, box.account_id, box.epoch),
    Buffer.from(JSON.stringify({ access_token, refresh_token, client_secret })),
  );

export const openTokens = (sealer: Sealer, row: Box & Pick<AccountRow, 'tokens'>): StoredTokens =>
  JSON.parse(sealer.open(sealContextOf(row, row.account_id, row.epoch), row.tokens).toString()) as StoredTokens;
