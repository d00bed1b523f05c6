import type { Database } from '../../../../kernel/contracts/index.ts';
import { type Prunable, deleteBatch } from '../../retention/contract.ts';

const ENTRIES = { table: 'audit_entries', key: 'org_id, project_id, at, entry_id' };

/** After this many scopes without old entries, the pruner yields. */
const SCOPES_PER_YIELD = 100;

interface AuditScope {
  org_id: string;
  project_id: string;
}

/** An org or project, and the time of its oldest entry. */
interface ScopeWithEntries extends AuditScope {
  at: number;
}

/**
 * Prunes old entries scope by scope, which is the order in which they are stored. It yields from time to time even if no
 * scope has anything to remove, so that the caller can stop.
 */
export const prunableEntries = (database: Database): Prunable => ({
  name: 'audit',
  summary: 'audit entries',
  async *prune(before, limit) {
    let skipped = 0;
    for (let scope = await nextScope(database); scope; scope = await nextScope(database, scope)) {
      if (Number(scope.at) >= before) {
        skipped += 1;
        if (skipped % SCOPES_PER_YIELD === 0) yield 0;
        continue;
      }
      const params = [scope.org_id, scope.project_id, before];
      for (let removed = limit; removed >= limit; ) {
        removed = await deleteBatch(database, ENTRIES, 'org_id = ? AND project_id = ? AND at < ?', params, limit);
        if (removed > 0) yield removed;
      }
    }
  },
});

/** Returns the next scope that has entries. Each call is one index lookup, however many entries there are. */
async function nextScope(database: Database, after?: AuditScope): Promise<ScopeWithEntries | undefined> {
  const select = 'SELECT org_id, project_id, at FROM audit_entries';
  const order = 'ORDER BY org_id, project_id, at LIMIT 1';
  if (!after) return (await database.read<ScopeWithEntries>(`${select} ${order}`))[0];
  const { org_id, project_id } = after;
  const [sibling] = await database.read<ScopeWithEntries>(`${select} WHERE org_id = ? AND project_id > ? ${order}`, [
    org_id,
    project_id,
  ]);
  return sibling ?? (await database.read<ScopeWithEntries>(`${select} WHERE org_id > ? ${order}`, [org_id]))[0];
}
