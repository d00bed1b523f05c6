import { type Ids, inKeys, inList, chunks, type Transaction } from '../../../kernel/contracts/index.ts';
import { type Part, partName, partNames } from '../domain/parts.ts';
import { type ArtifactFile, insertFiles, type RunPlace } from './file-rows.ts';
import { insertRemovals, type Removal } from './removal-rows.ts';
import type { Upload } from './upload-rows.ts';
import { type Bounded, count } from './usage.ts';

/**
 * How long a content stays when no row names it any more: whoever reads it may finish, whoever copies its row commits
 * first, and a writer that was held up finds that its upload is gone.
 */
export const GRACE_MS = 15 * 60_000;

export interface Named {
  blob_id: string;
  store: string;
  parts: readonly Part[];
}

export type Making = Pick<Ids, 'next'>;

export const removalOf = (
  ids: Making,
  { blob_id, store }: Omit<Named, 'parts'>,
  names: readonly string[],
): Removal => ({
  removal_id: ids.next('rem'),
  store,
  blob_id,
  names,
});

/** Everything that the writers of an upload may have stored. */
export const namesOfUpload = ({ parts, garbage, epoch, complete }: Upload): string[] => [
  ...partNames(parts),
  ...garbage,
  ...(complete ? [] : [partName(epoch, parts.length)]),
];

interface Published {
  ids: Making;
  now: number;
  /** Of a script's call; null otherwise. */
  position: number | null;
  bounded: Bounded;
}

/**
 * Makes complete uploads of one run its artifacts, in place of those with the same paths. The run's row must be locked,
 * and the rows of the uploads removed. Answers the paths that were there before. Throws `artifact_quota_exceeded`.
 */
export async function publish(
  tx: Transaction,
  place: RunPlace,
  uploads: readonly Upload[],
  { ids, now, position, bounded }: Published,
): Promise<string[]> {
  const replaced = await takeOut(
    tx,
    place,
    uploads.map(({ path }) => path),
  );
  const files = uploads.map(
    ({ upload_id, path, store, parts, size, digest, activity_id }): ArtifactFile => ({
      ...{
        path,
        blob_id: upload_id,
        store,
        parts,
        size: size!,
        digest: digest!,
        created_at: now,
        activity_id,
        position,
      },
    }),
  );
  await insertFiles(tx, place, files);
  await count(tx, place, { bytes: sizeOfAll(files) }, bounded);
  const left = uploads.filter(({ garbage }) => garbage.length > 0);
  await insertRemovals(
    tx,
    [
      ...replaced.map((row) => removalOf(ids, row, partNames(row.parts))),
      ...left.map(({ upload_id, store, garbage }) => removalOf(ids, { blob_id: upload_id, store }, garbage)),
    ],
    now + GRACE_MS,
  );
  return replaced.map(({ path }) => path);
}

const sizeOfAll = (files: readonly { size: number }[]): number => files.reduce((sum, { size }) => sum + size, 0);

/** Removes artifacts by their paths, and answers what they were. */
export async function takeOut(
  tx: Transaction,
  place: Pick<RunPlace, 'run_id' | 'project_id'>,
  paths: readonly string[],
): Promise<(Named & { path: string })[]> {
  const { run_id } = place;
  const found: (Named & { path: string; size: number })[] = [];
  for (const some of chunks(paths)) {
    // Buffers, padded to a size of list that is prepared already.
    const list = inList(some);
    const params = [run_id, ...list.params.map((path) => Buffer.from(path))];
    const rows = await tx.read<{ path: Buffer; blob_id: string; store: string; parts: string; size: number }>(
      `SELECT path, blob_id, store, parts, size FROM artifacts_files WHERE run_id = ? AND path IN ${list.marks}`,
      params,
    );
    if (rows.length === 0) continue;
    await tx.write(`DELETE FROM artifacts_files WHERE run_id = ? AND path IN ${list.marks}`, params);
    for (const row of rows)
      found.push({
        ...row,
        path: Buffer.from(row.path).toString(),
        parts: JSON.parse(row.parts) as Part[],
        size: Number(row.size),
      });
  }
  await count(tx, place, { bytes: -sizeOfAll(found) });
  return found;
}

/** Bytes of a list of parts that count as one row: a large artifact has a list of many. */
const ROW_BYTES = 256;

/**
 * Removes artifacts of runs whose rows are locked or gone, and notes what they name for removal. Answers how many; one
 * with a long list of parts counts for several, so that few of them fill a transaction. Less than `limit`: it was all.
 */
export async function removeOfRuns(
  tx: Transaction,
  run_ids: readonly string[],
  limit: number,
  ids: Making,
  now: number,
): Promise<number> {
  const list = inList(run_ids);
  const rows = await tx.read<{ run_id: string; project_id: string; path: Buffer; bytes: number }>(
    `SELECT run_id, project_id, path, LENGTH(parts) AS bytes FROM artifacts_files WHERE run_id IN ${list.marks}
     ORDER BY run_id, path LIMIT ${Math.trunc(limit)}`,
    list.params,
  );
  let weight = 0;
  const taken = rows.filter(({ bytes }) => {
    const fits = weight < limit;
    if (fits) weight += Math.max(1, Math.ceil(Number(bytes) / ROW_BYTES));
    return fits;
  });
  const removed: Named[] = [];
  for (const [run_id, files] of Map.groupBy(taken, (row) => row.run_id)) {
    const paths = files.map(({ path }) => Buffer.from(path).toString());
    removed.push(...(await takeOut(tx, { run_id, project_id: files[0]!.project_id }, paths)));
  }
  const removals = removed.map((row) => removalOf(ids, row, partNames(row.parts)));
  await insertRemovals(tx, removals, now + GRACE_MS);
  return weight;
}

/** Removes the rows of uploads of one run. False when one of them has changed since it was read, or is gone. */
export async function removeUploads(tx: Transaction, uploads: readonly Upload[]): Promise<boolean> {
  let [removed, staged] = [0, 0];
  for (const some of chunks(uploads)) {
    const { condition, params } = inKeys(['upload_id', 'epoch'], some);
    const [row] = await tx.read<{ stored: number | null }>(
      `SELECT SUM(stored) AS stored FROM artifacts_uploads WHERE ${condition}`,
      params,
    );
    staged += Number(row?.stored ?? 0);
    removed += await tx.write(`DELETE FROM artifacts_uploads WHERE ${condition}`, params);
  }
  const [first] = uploads;
  if (first) await count(tx, first, { staged: -staged });
  return removed === uploads.length;
}

/** Gives up an upload: its row goes, and what its writers stored follows. False when somebody else has taken it over. */
export async function discard(tx: Transaction, upload: Upload, ids: Making, now: number): Promise<boolean> {
  if (!(await removeUploads(tx, [upload]))) return false;
  const { upload_id, store } = upload;
  await insertRemovals(tx, [removalOf(ids, { blob_id: upload_id, store }, namesOfUpload(upload))], now + GRACE_MS);
  return true;
}
