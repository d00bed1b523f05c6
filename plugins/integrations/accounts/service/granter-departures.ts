import type { Database } from '../../../../kernel/contracts/index.ts';
import type { MembershipObserver } from '../../../security/access/contract.ts';
import { accounts, listGrantedBy } from '../store/accounts.ts';
import { endUse, type TransitionDeps } from './transitions.ts';

/**
 * Disables the accounts that a departing member granted, because they act as that member, in the transaction of the
 * departure.
 */
export const granterDepartures = (deps: TransitionDeps & { database: Pick<Database, 'now'> }): MembershipObserver => ({
  name: 'accounts',
  async onRemoved(tx, membership) {
    const now = deps.database.now();
    for (const key of await listGrantedBy(tx, membership)) {
      const row = await accounts.lock(tx, key, key.name);
      if (!row || row.granter_id !== membership.user_id || row.status === 'disabled') continue;
      // A client of the project's own acts as nobody who left.
      if (row.client_grant !== null) continue;
      const from = membership.project_id === null ? 'org' : 'project';
      const reason = `${row.granter}, who granted it, left the ${from}; another member can connect it again`;
      await endUse(tx, deps, row, { status: 'disabled', reason, now });
    }
  },
});
