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
const GRACE_MS = 15 * 60_000;

interface Named {
  blob_id: string;
  store: string;
  parts: readonly Part[];
}

export type Making = Pick<Ids, 'next'>;

const removalOf = (
  ids: Making,
  { blob_id, store }: Omit<Named, 'parts'>,
  names: readonly string[],
  bytes: number,
): Removal => ({
  removal_id: ids.next('rem'),
  store,
  blob_id,
  names,
  bytes,
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
    { ids, now },
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
    { ...place, ...UNCOUNTED },
    left.map(({ upload_id, store, garbage }) => removalOf(ids, { blob_id: upload_id, store }, garbage, 0)),
    now + GRACE_MS,
  );
  return replaced;
}

/** Of what is not counted. */
const UNCOUNTED = { untrusted: 0 };

const sizeOfAll = (files: readonly { size: number }[]): number => files.reduce((sum, { size }) => sum + size, 0);

/**
 * Removes artifacts by their paths, and answers those that were there. What they name is noted for removal, and counts as
 * leaving until then.
 */
export async function takeOut(
  tx: Transaction,
  place: Pick<RunPlace, 'run_id' | 'project_id'>,
  paths: readonly string[],
  { ids, now }: { ids: Making; now: number },
): Promise<string[]> {
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
  const size = sizeOfAll(found);
  const counted = await count(tx, place, { bytes: -size, leaving: size });
  const removals = found.map((row) => removalOf(ids, row, partNames(row.parts), counted ? row.size : 0));
  await insertRemovals(tx, { ...place, ...(counted ?? UNCOUNTED) }, removals, now + GRACE_MS);
  return found.map(({ path }) => path);
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
  for (const [run_id, files] of Map.groupBy(taken, (row) => row.run_id)) {
    const paths = files.map(({ path }) => Buffer.from(path).toString());
    await takeOut(tx, { run_id, project_id: files[0]!.project_id }, paths, { ids, now });
  }
  return weight;
}

/** Removes the rows of uploads of one run. False when one of them has changed since it was read, or is gone. */
export async function removeUploads(tx: Transaction, uploads: readonly Upload[]): Promise<boolean> {
  const { removed, staged } = await deleteUploads(tx, uploads);
  const [first] = uploads;
  if (first) await count(tx, first, { staged: -staged });
  return removed === uploads.length;
}

async function deleteUploads(
  tx: Transaction,
  uploads: readonly Upload[],
): Promise<{ removed: number; staged: number }> {
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
  return { removed, staged };
}

/** Gives up an upload: its row goes, and what its writers stored follows. False when somebody else has taken it over. */
export async function discard(tx: Transaction, upload: Upload, ids: Making, now: number): Promise<boolean> {
  const { removed, staged } = await deleteUploads(tx, [upload]);
  if (removed !== 1) return false;
  const counted = await count(tx, upload, { staged: -staged, leaving: staged });
  await noteParts(tx, upload, namesOfUpload(upload), counted ? staged : 0, { ids, now, ...counted });
  return true;
}

/** An upload that begins anew: its row names these parts no more, and counts them no more. */
export async function leaveParts(
  tx: Transaction,
  upload: Upload,
  { ids, now }: { ids: Making; now: number },
): Promise<void> {
  const counted = await count(tx, upload, { leaving: upload.stored });
  await noteParts(tx, upload, partNames(upload.parts), counted ? upload.stored : 0, { ids, now, ...counted });
}

async function noteParts(
  tx: Transaction,
  upload: Upload,
  names: readonly string[],
  bytes: number,
  { ids, now, untrusted = 0 }: { ids: Making; now: number; untrusted?: number },
): Promise<void> {
  const { upload_id, store } = upload;
  const removal = removalOf(ids, { blob_id: upload_id, store }, names, bytes);
  await insertRemovals(tx, { ...upload, untrusted }, [removal], now + GRACE_MS);
}
