import type { Database } from '../../../kernel/contracts/index.ts';
import type { CredentialUser } from '../../credentials/contract.ts';
import { namingCredential } from '../store/handler-table.ts';

/** Handlers whose runs will name a credential. */
export const handlerUser = (database: Pick<Database, 'read'>): CredentialUser => ({
  kind: 'handler',
  async uses(scope, name, limit) {
    const rows = await namingCredential(database, scope, name, limit);
    return rows.map((row) => ({ kind: 'handler', name: row.name, detail: row.variables }));
  },
});
