import type { Database } from '../../../kernel/contracts/index.ts';
import type { MembershipObserver } from '../../access/contract.ts';
import { accounts, grantedBy } from '../store/accounts.ts';
import { endUse, type TransitionParts } from './transitions.ts';

/** Who leaves takes along what they granted: it acted as them. In the transaction in which they leave. */
export const granterLeaves = (parts: TransitionParts & { database: Pick<Database, 'now'> }): MembershipObserver => ({
  name: 'accounts',
  async onRemoved(tx, left) {
    const now = parts.database.now();
    for (const key of await grantedBy(tx, left)) {
      const row = await accounts.lock(tx, key, key.name);
      if (!row || row.granter_id !== left.user_id || row.status === 'disabled') continue;
      const from = left.project_id === null ? 'org' : 'project';
      const reason = `${row.granter}, who granted it, left the ${from}; another member can connect it again`;
      await endUse(tx, parts, row, { status: 'disabled', reason, now });
    }
  },
});
