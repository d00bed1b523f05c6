import type { SealedPlace, Sealer } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../resources/contract.ts';
import type { AccountRow } from '../store/accounts.ts';

/** What is stored of a grant. */
export interface StoredTokens {
  access_token: string;
  refresh_token?: string;
}

/** Bound to the account and its epoch: tokens of another account, or older ones put back, do not open. */
const placeOf = ({ org_id, project_id }: ProjectScope, account_id: string, epoch: number): SealedPlace => ({
  org_id,
  project_id,
  table: 'accounts_accounts',
  kind: 'account',
  name: account_id,
  field: `tokens/${epoch}`,
});

type Box = ProjectScope & Pick<AccountRow, 'account_id' | 'epoch'>;

/** The caller has prepared the org's keys. */
export const sealTokens = (sealer: Sealer, box: Box, { access_token, refresh_token }: StoredTokens): Buffer =>
  sealer.seal(
    placeOf(box, box.account_id, box.epoch),
    Buffer.from(JSON.stringify({ access_token, ...(refresh_token === undefined ? {} : { refresh_token }) })),
  );

export const openTokens = (sealer: Sealer, row: Box & Pick<AccountRow, 'tokens'>): StoredTokens =>
  JSON.parse(sealer.open(placeOf(row, row.account_id, row.epoch), row.tokens).toString()) as StoredTokens;
