import { type Database, MEMBER } from '../../../../kernel/contracts/index.ts';
import type { AttentionSource } from '../../../platform/resources/contract.ts';
import { isUsable } from '../domain/status.ts';
import { listStates } from '../store/accounts.ts';

/** Lists the accounts that somebody must connect again. */
export const accountsAttention = (database: Pick<Database, 'read'>): AttentionSource => ({
  name: 'accounts',
  access: MEMBER,
  async list(scope, limit) {
    const rows = await listStates(database, scope);
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
