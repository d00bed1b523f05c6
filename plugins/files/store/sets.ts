import { chunks, inList, insertRows, type Queries, type Transaction } from '../../../kernel/contracts/index.ts';

/** Contents that are needed together. */
export interface FileSet {
  project_id: string;
  file_set: string;
  digests: readonly string[];
}

/** Stores sets, and notes that they are used now. */
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

/** Those of some contents that are in one of these sets. */
export async function membersOf(
  on: Pick<Queries, 'read'>,
  project_id: string,
  sets: readonly string[],
  digests: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>();
  const within = inList(sets);
  for (const some of chunks(digests)) {
    const list = inList(some);
    const rows = await on.read<{ digest: string }>(
      `SELECT DISTINCT digest FROM files_members
       WHERE project_id = ? AND file_set IN ${within.marks} AND digest IN ${list.marks}`,
      [project_id, ...within.params, ...list.params],
    );
    for (const { digest } of rows) found.add(digest);
  }
  return found;
}
