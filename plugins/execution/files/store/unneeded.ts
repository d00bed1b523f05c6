import { afterRow, chunks, type Database, inList } from '../../../../kernel/contracts/index.ts';
import type { FileHolder, SharedContent } from '../../../engine/runs/contract.ts';
import { USE_INTERVAL_MS } from './contents.ts';

/** Whatever was not used for this long is not being used at the moment. */
const UNUSED_MS = 2 * USE_INTERVAL_MS;
const BATCH = 100;

interface SetKey {
  project_id: string;
  file_set: string;
}

/**
 * Removes sets that no run, handler, schedule or webhook needs, and contents that are in no set. The contents of a
 * removed set stay for two hours, because a run that is being created may still name it.
 */
export const unusedFiles = (
  database: Database,
  holders: () => readonly FileHolder[],
): Pick<SharedContent, 'name' | 'remove'> => ({
  name: 'files',
  async *remove(before, limit) {
    const until = Math.min(before, database.now() - UNUSED_MS);
    for (let last: SetKey | undefined; ; ) {
      const page: SetKey[] = await listUnusedSets(database, last, until);
      last = page.at(-1);
      if (last === undefined) break;
      let removed = 0;
      for (const key of await findUnreferenced(page, holders())) removed += await removeSet(database, key, until);
      yield removed;
    }
    for (let removed = BATCH; removed >= BATCH; ) {
      removed = await removeContents(database, until, Math.min(limit, BATCH));
      if (removed > 0) yield removed;
    }
  },
});

function listUnusedSets(database: Database, last: SetKey | undefined, until: number): Promise<SetKey[]> {
  const next = afterRow(['project_id', 'file_set'], last && { ...last });
  return database.read<SetKey>(
    `SELECT project_id, file_set FROM files_sets WHERE ${next.condition} AND used_at < ?
     ORDER BY project_id, file_set LIMIT ${BATCH}`,
    [...next.params, until],
  );
}

async function findUnreferenced(page: readonly SetKey[], holders: readonly FileHolder[]): Promise<SetKey[]> {
  const unreferenced: SetKey[] = [];
  for (const [project_id, keys] of Map.groupBy(page, (key) => key.project_id)) {
    const referenced = new Set<string>();
    const sets = keys.map(({ file_set }) => file_set);
    for (const references of holders) for (const set of await references.holding(project_id, sets)) referenced.add(set);
    unreferenced.push(...keys.filter(({ file_set }) => !referenced.has(file_set)));
  }
  return unreferenced;
}

function removeSet(database: Database, { project_id, file_set }: SetKey, until: number): Promise<number> {
  return database.transaction(async (tx) => {
    const key = [project_id, file_set];
    const removed = await tx.write('DELETE FROM files_sets WHERE project_id = ? AND file_set = ? AND used_at < ?', [
      ...key,
      until,
    ]);
    if (removed === 0) return 0;
    const members = await tx.read<{ digest: string }>(
      'SELECT digest FROM files_members WHERE project_id = ? AND file_set = ?',
      key,
    );
    for (const chunk of chunks(members.map(({ digest }) => digest))) {
      const list = inList(chunk);
      await tx.write(`UPDATE files_contents SET used_at = ? WHERE project_id = ? AND digest IN ${list.placeholders}`, [
        database.now(),
        project_id,
        ...list.params,
      ]);
    }
    return removed + (await tx.write('DELETE FROM files_members WHERE project_id = ? AND file_set = ?', key));
  });
}

const IN_NO_SET = `NOT EXISTS (SELECT 1 FROM files_members
  WHERE files_members.project_id = files_contents.project_id AND files_members.digest = files_contents.digest)`;

async function removeContents(database: Database, until: number, limit: number): Promise<number> {
  const unused = await database.read<{ project_id: string; digest: string }>(
    `SELECT project_id, digest FROM files_contents WHERE used_at < ? AND ${IN_NO_SET} LIMIT ${Math.trunc(limit)}`,
    [until],
  );
  let removed = 0;
  for (const { project_id, digest } of unused)
    removed += await database.transaction(async (tx) => {
      const removed_rows = await tx.write(
        `DELETE FROM files_contents WHERE project_id = ? AND digest = ? AND used_at < ? AND ${IN_NO_SET}`,
        [project_id, digest, until],
      );
      if (removed_rows > 0)
        await tx.write('DELETE FROM files_pieces WHERE project_id = ? AND digest = ?', [project_id, digest]);
      return removed_rows;
    });
  return removed;
}
