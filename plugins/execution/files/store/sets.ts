import { chunks, inList, insertRows, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';

/** Contents that are needed together. */
export interface FileSet {
  project_id: string;
  file_set: string;
  digests: readonly string[];
}

/** Stores sets, and records that they are used now. */
export async function storeSets(tx: Transaction, sets: readonly FileSet[], now: number): Promise<void> {
  const rows = sets
    .toSorted((a, b) => (`${a.project_id} ${a.file_set}` < `${b.project_id} ${b.file_set}` ? -1 : 1))
    .map(({ project_id, file_set }) => [project_id, file_set, now]);
  const used = tx.sql.upsert(['project_id', 'file_set'], ['used_at']);
  await insertRows(tx, 'INSERT INTO files_sets', ['project_id', 'file_set', 'used_at'], rows, used);
  const members = sets.flatMap(({ project_id, file_set, digests }) =>
    [...new Set(digests)].sort().map((digest) => [project_id, file_set, digest]),
  );
  const columns = ['project_id', 'file_set', 'digest'];
  await insertRows(tx, `${tx.sql.insert_ignore} files_members`, columns, members);
}

/** Returns those of some contents that are in one of these sets. */
export async function findMembers(
  on: Pick<Queries, 'read'>,
  project_id: string,
  sets: readonly string[],
  digests: readonly string[],
): Promise<Set<string>> {
  const members = new Set<string>();
  const set_list = inList(sets);
  for (const chunk of chunks(digests)) {
    const list = inList(chunk);
    const rows = await on.read<{ digest: string }>(
      `SELECT DISTINCT digest FROM files_members
       WHERE project_id = ? AND file_set IN ${set_list.placeholders} AND digest IN ${list.placeholders}`,
      [project_id, ...set_list.params, ...list.params],
    );
    for (const { digest } of rows) members.add(digest);
  }
  return members;
}
