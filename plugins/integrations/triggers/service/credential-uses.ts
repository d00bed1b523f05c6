import type { Database } from '../../../../kernel/contracts/index.ts';
import type { CredentialUser } from '../../../secrets/credentials/contract.ts';
import { listUsing } from '../store/triggers.ts';

/** Finds the triggers that poll with a credential. */
export const triggerCredentialUser = (database: Pick<Database, 'read'>): CredentialUser => ({
  kind: 'trigger',
  async uses(scope, credential, limit) {
    const rows = await listUsing(database, scope, credential, limit);
    return rows.map(({ name, connector, source }) => ({ kind: 'trigger', name, detail: `${connector}.${source}` }));
  },
});
