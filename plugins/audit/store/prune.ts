import type { Database } from '../../../kernel/contracts/index.ts';
import { type Prunable, removeSome } from '../../retention/contract.ts';

const ENTRIES = { table: 'audit_entries', key: 'org_id, project_id, at, entry_id' };

/** Places without old entries that are passed by at a time. */
const PASSED = 100;

interface Place {
  org_id: string;
  project_id: string;
}

/** A place, and the time of its oldest entry. */
interface PlaceOfEntries extends Place {
  at: number;
}

/** Entries by age, place by place: in that order they lie. The caller may stop, however many places have none to remove. */
export const prunableEntries = (database: Database): Prunable => ({
  name: 'audit',
  summary: 'entries of the audit',
  async *prune(before, limit) {
    let passed = 0;
    for (let place = await nextPlace(database); place; place = await nextPlace(database, place)) {
      if (Number(place.at) >= before) {
        passed += 1;
        if (passed % PASSED === 0) yield 0;
        continue;
      }
      const params = [place.org_id, place.project_id, before];
      for (let removed = limit; removed >= limit; ) {
        removed = await removeSome(database, ENTRIES, 'org_id = ? AND project_id = ? AND at < ?', params, limit);
        if (removed > 0) yield removed;
      }
    }
  },
});

/** The first place after one that has entries. Each is one look into the index, however many entries there are. */
async function nextPlace(database: Database, after?: Place): Promise<PlaceOfEntries | undefined> {
  const select = 'SELECT org_id, project_id, at FROM audit_entries';
  const order = 'ORDER BY org_id, project_id, at LIMIT 1';
  if (!after) return (await database.read<PlaceOfEntries>(`${select} ${order}`))[0];
  const { org_id, project_id } = after;
  const [sibling] = await database.read<PlaceOfEntries>(`${select} WHERE org_id = ? AND project_id > ? ${order}`, [
    org_id,
    project_id,
  ]);
  return sibling ?? (await database.read<PlaceOfEntries>(`${select} WHERE org_id > ? ${order}`, [org_id]))[0];
}
