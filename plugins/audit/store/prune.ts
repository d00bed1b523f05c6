import type { Database } from '../../../kernel/contracts/index.ts';
import { type Prunable, removeSome } from '../../retention/contract.ts';

const ENTRIES = { table: 'audit_entries', key: 'org_id, project_id, at, entry_id' };

interface Place {
  org_id: string;
  project_id: string;
}

/** Entries by age, place by place: in that order they lie. */
export const prunableEntries = (database: Database): Prunable => ({
  name: 'audit',
  summary: 'entries of the audit',
  async *prune(before, limit) {
    for (let place = await nextPlace(database); place; place = await nextPlace(database, place)) {
      const params = [place.org_id, place.project_id, before];
      for (let removed = limit; removed >= limit; ) {
        removed = await removeSome(database, ENTRIES, 'org_id = ? AND project_id = ? AND at < ?', params, limit);
        if (removed > 0) yield removed;
      }
    }
  },
});

/** The first place after one that has entries. Each is one look into the index, however many entries there are. */
async function nextPlace(database: Database, after?: Place): Promise<Place | undefined> {
  const select = 'SELECT org_id, project_id FROM audit_entries';
  const order = 'ORDER BY org_id, project_id LIMIT 1';
  if (!after) return (await database.read<Place>(`${select} ${order}`))[0];
  const { org_id, project_id } = after;
  const [sibling] = await database.read<Place>(`${select} WHERE org_id = ? AND project_id > ? ${order}`, [
    org_id,
    project_id,
  ]);
  return sibling ?? (await database.read<Place>(`${select} WHERE org_id > ? ${order}`, [org_id]))[0];
}
