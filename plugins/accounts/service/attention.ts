import { type Database, MEMBER } from '../../../kernel/contracts/index.ts';
import type { AttentionSource } from '../../summary/contract.ts';
import { isUsable } from '../domain/status.ts';
import { allStates } from '../store/accounts.ts';

/** Accounts that somebody has to connect again. */
export const accountsAttention = (database: Pick<Database, 'read'>): AttentionSource => ({
  name: 'accounts',
  access: MEMBER,
  async list(scope, limit) {
    const rows = await allStates(database, scope);
    return rows
      .filter(({ status }) => !isUsable(status))
      .slice(0, limit)
      .map(({ name, status: state, reason }) => ({
        kind: 'account',
        name,
        state,
        detail: reason ?? 'connect it again on the Connections page',
      }));
  },
});
