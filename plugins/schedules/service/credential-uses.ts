import type { Database } from '../../../kernel/contracts/index.ts';
import type { CredentialUser } from '../../credentials/contract.ts';
import { namingCredentials } from '../store/schedule-table.ts';

/** Schedules whose runs will name a credential. */
export const scheduleUser = (database: Pick<Database, 'read'>): CredentialUser => ({
  kind: 'schedule',
  async uses(scope, name, limit) {
    const rows = await namingCredentials(database, scope);
    const uses = rows.flatMap((row) => {
      const named = Object.entries(JSON.parse(row.credentials) as Record<string, string>);
      const variables = named.filter(([, credential]) => credential === name).map(([variable]) => variable);
      return variables.length === 0 ? [] : [{ kind: 'schedule', name: row.name, detail: variables.join(', ') }];
    });
    return uses.slice(0, limit);
  },
});
