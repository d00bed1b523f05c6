import { beyond, chunks, type Database, inList } from '../../../kernel/contracts/index.ts';
import type { FileHolder, RunLeftover } from '../../runs/contract.ts';
import { NOTED_MS } from './contents.ts';

/** What was not used for so long is being used by nobody just now. */
const UNUSED_MS = 2 * NOTED_MS;
const AT_ONCE = 100;

interface SetKey {
  project_id: string;
  file_set: string;
}

/**
 * Sets that no run, handler, schedule or webhook needs, and contents in none. The contents of a set that goes stay for two
 * hours: a run that is made just now may still name it.
 */
export const unneededFiles = (database: Database, holders: () => readonly FileHolder[]): RunLeftover => ({
  name: 'files',
  async *remove(before, limit) {
    const until = Math.min(before, database.now() - UNUSED_MS);
    for (let last: SetKey | undefined; ; ) {
      const page: SetKey[] = await setsAfter(database, last, until);
      last = page.at(-1);
      if (last === undefined) break;
      let removed = 0;
      for (const key of await unheld(page, holders())) removed += await removeSet(database, key, until);
      yield removed;
    }
    for (let removed = AT_ONCE; removed >= AT_ONCE; ) {
      removed = await removeContents(database, until, Math.min(limit, AT_ONCE));
      if (removed > 0) yield removed;
    }
  },
});

function setsAfter(database: Database, last: SetKey | undefined, until: number): Promise<SetKey[]> {
  const next = beyond(['project_id', 'file_set'], last && { ...last });
  return database.read<SetKey>(
    `SELECT project_id, file_set FROM files_sets WHERE ${next.condition} AND used_at < ?
     ORDER BY project_id, file_set LIMIT ${AT_ONCE}`,
    [...next.params, until],
  );
}

async function unheld(page: readonly SetKey[], holders: readonly FileHolder[]): Promise<SetKey[]> {
  const free: SetKey[] = [];
  for (const [project_id, keys] of Map.groupBy(page, (key) => key.project_id)) {
    const held = new Set<string>();
    const sets = keys.map(({ file_set }) => file_set);
    for (const holder of holders) for (const set of await holder.holding(project_id, sets)) held.add(set);
    free.push(...keys.filter(({ file_set }) => !held.has(file_set)));
  }
  return free;
}

function removeSet(database: Database, { project_id, file_set }: SetKey, until: number): Promise<number> {
  return database.transaction(async (tx) => {
    const key = [project_id, file_set];
    const gone = await tx.write('DELETE FROM files_sets WHERE project_id = ? AND file_set = ? AND used_at < ?', [
      ...key,
      until,
    ]);
    if (gone === 0) return 0;
    const members = await tx.read<{ digest: string }>(
      'SELECT digest FROM files_members WHERE project_id = ? AND file_set = ?',
      key,
    );
    for (const some of chunks(members.map(({ digest }) => digest))) {
      const list = inList(some);
      await tx.write(`UPDATE files_contents SET used_at = ? WHERE project_id = ? AND digest IN ${list.marks}`, [
        database.now(),
        project_id,
        ...list.params,
      ]);
    }
    return gone + (await tx.write('DELETE FROM files_members WHERE project_id = ? AND file_set = ?', key));
  });
}

const IN_NO_SET = `NOT EXISTS (SELECT 1 FROM files_members
  WHERE files_members.project_id = files_contents.project_id AND files_members.digest = files_contents.digest)`;

async function removeContents(database: Database, until: number, limit: number): Promise<number> {
  const found = await database.read<{ project_id: string; digest: string }>(
    `SELECT project_id, digest FROM files_contents WHERE used_at < ? AND ${IN_NO_SET} LIMIT ${Math.trunc(limit)}`,
    [until],
  );
  let removed = 0;
  for (const { project_id, digest } of found)
    removed += await database.transaction(async (tx) => {
      const gone = await tx.write(
        `DELETE FROM files_contents WHERE project_id = ? AND digest = ? AND used_at < ? AND ${IN_NO_SET}`,
        [project_id, digest, until],
      );
      if (gone > 0)
        await tx.write('DELETE FROM files_pieces WHERE project_id = ? AND digest = ?', [project_id, digest]);
      return gone;
    });
  return removed;
}
