import { type Ids, inKeys, inList, chunks, type Transaction } from '../../../../kernel/contracts/index.ts';
import { type Part, partName, partNames } from '../domain/parts.ts';
import { type ArtifactFile, insertFiles, type RunScope } from './file-rows.ts';
import { insertRemovals, type Removal } from './removal-rows.ts';
import type { Upload } from './upload-rows.ts';
import { type UsageLimits, addUsage } from './usage.ts';

/**
 * How long a content stays after its last row is gone. Until then readers may finish, transactions that copy its row
 * commit first, and a writer that was held up finds that its upload is gone.
 */
const GRACE_MS = 15 * 60_000;

interface NamedContent {
  blob_id: string;
  store: string;
  parts: readonly Part[];
}

export type IdSource = Pick<Ids, 'next'>;

const toRemoval = (
  ids: IdSource,
  { blob_id, store }: Omit<NamedContent, 'parts'>,
  names: readonly string[],
  bytes: number,
): Removal => ({
  removal_id: ids.next('rem'),
  store,
  blob_id,
  names,
  bytes,
});

/** Returns the names of everything that the writers of an upload may have stored. */
export const uploadPartNames = ({ parts, garbage, epoch, complete }: Upload): string[] => [
  ...partNames(parts),
  ...garbage,
  ...(complete ? [] : [partName(epoch, parts.length)]),
];

interface PublishOptions {
  ids: IdSource;
  now: number;
  /** The position of a script's call, or null. */
  position: number | null;
  bounded: UsageLimits;
}

/**
 * Turns complete uploads of one run into artifacts, replacing those with the same paths. The run's row must be
 * locked, and the rows of the uploads removed. Returns the paths that existed before. Throws
 * `artifact_quota_exceeded`.
 */
export async function publish(
  tx: Transaction,
  scope: RunScope,
  uploads: readonly Upload[],
  { ids, now, position, bounded }: PublishOptions,
): Promise<string[]> {
  const replaced = await removeFiles(
    tx,
    scope,
    uploads.map(({ path }) => path),
    { ids, now },
  );
  const files = uploads.map(
    ({ upload_id, path, store, parts, size, digest, activity_id }): ArtifactFile => ({
      path,
      blob_id: upload_id,
      store,
      parts,
      size: size!,
      digest: digest!,
      created_at: now,
      activity_id,
      position,
    }),
  );
  await insertFiles(tx, scope, files);
  await addUsage(tx, scope, { bytes: sumSizes(files) }, bounded);
  const with_garbage = uploads.filter(({ garbage }) => garbage.length > 0);
  await insertRemovals(
    tx,
    { ...scope, ...NOT_COUNTED },
    with_garbage.map(({ upload_id, store, garbage }) => toRemoval(ids, { blob_id: upload_id, store }, garbage, 0)),
    now + GRACE_MS,
  );
  return replaced;
}

/** For removals of parts that are not counted. */
const NOT_COUNTED = { untrusted: 0 };

const sumSizes = (files: readonly { size: number }[]): number => files.reduce((sum, { size }) => sum + size, 0);

/**
 * Removes artifacts by their paths and returns those that existed. Their parts are scheduled for removal and count as
 * leaving until then.
 */
export async function removeFiles(
  tx: Transaction,
  scope: Pick<RunScope, 'run_id' | 'project_id'>,
  paths: readonly string[],
  { ids, now }: { ids: IdSource; now: number },
): Promise<string[]> {
  const { run_id } = scope;
  const removed: (NamedContent & { path: string; size: number })[] = [];
  for (const chunk of chunks(paths)) {
    // The list is padded to a size whose statement is already prepared, and its paths are bound as bytes.
    const list = inList(chunk);
    const params = [run_id, ...list.params.map((path) => Buffer.from(path))];
    const rows = await tx.read<{ path: Buffer; blob_id: string; store: string; parts: string; size: number }>(
      `SELECT path, blob_id, store, parts, size FROM artifacts_files WHERE run_id = ? AND path IN ${list.placeholders}`,
      params,
    );
    if (rows.length === 0) continue;
    await tx.write(`DELETE FROM artifacts_files WHERE run_id = ? AND path IN ${list.placeholders}`, params);
    for (const row of rows)
      removed.push({
        ...row,
        path: Buffer.from(row.path).toString(),
        parts: JSON.parse(row.parts) as Part[],
        size: Number(row.size),
      });
  }
  const size = sumSizes(removed);
  const counted = await addUsage(tx, scope, { bytes: -size, leaving: size });
  const removals = removed.map((row) => toRemoval(ids, row, partNames(row.parts), counted ? row.size : 0));
  await insertRemovals(tx, { ...scope, ...(counted ?? NOT_COUNTED) }, removals, now + GRACE_MS);
  return removed.map(({ path }) => path);
}

/** A list of parts counts as one row per this many bytes, because a large artifact has many parts. */
const ROW_BYTES = 256;

/**
 * Removes artifacts of runs whose rows are locked or gone, schedules their parts for removal, and returns how many.
 * An artifact with a long list of parts counts for several, so that few of them fill a transaction. A result below
 * `limit` means that none are left.
 */
export async function removeFilesOfRuns(
  tx: Transaction,
  run_ids: readonly string[],
  limit: number,
  ids: IdSource,
  now: number,
): Promise<number> {
  const list = inList(run_ids);
  const rows = await tx.read<{ run_id: string; project_id: string; path: Buffer; bytes: number }>(
    `SELECT run_id, project_id, path, LENGTH(parts) AS bytes FROM artifacts_files WHERE run_id IN ${list.placeholders}
     ORDER BY run_id, path LIMIT ${Math.trunc(limit)}`,
    list.params,
  );
  let weight = 0;
  const batch = rows.filter(({ bytes }) => {
    const has_capacity = weight < limit;
    if (has_capacity) weight += Math.max(1, Math.ceil(Number(bytes) / ROW_BYTES));
    return has_capacity;
  });
  for (const [run_id, files] of Map.groupBy(batch, (row) => row.run_id)) {
    const paths = files.map(({ path }) => Buffer.from(path).toString());
    await removeFiles(tx, { run_id, project_id: files[0]!.project_id }, paths, { ids, now });
  }
  return weight;
}

/** Schedules a content that no row names any more for removal: all of its parts, or those with these names. */
export async function scheduleContent(
  tx: Transaction,
  scope: Pick<RunScope, 'run_id' | 'project_id'>,
  content: NamedContent,
  { ids, now, names }: { ids: IdSource; now: number; names?: readonly string[] },
): Promise<void> {
  const removal = toRemoval(ids, content, names ?? partNames(content.parts), 0);
  await insertRemovals(tx, { ...scope, ...NOT_COUNTED }, [removal], now + GRACE_MS);
}

/** Removes the rows of uploads of one run. Returns false if one of them has changed since it was read, or is gone. */
export async function removeUploads(tx: Transaction, uploads: readonly Upload[]): Promise<boolean> {
  const { removed, staged } = await deleteUploads(tx, uploads);
  const [sample] = uploads;
  if (sample) await addUsage(tx, sample, { staged: -staged });
  return removed === uploads.length;
}

async function deleteUploads(
  tx: Transaction,
  uploads: readonly Upload[],
): Promise<{ removed: number; staged: number }> {
  let removed = 0;
  let staged = 0;
  for (const chunk of chunks(uploads)) {
    const { condition, params } = inKeys(['upload_id', 'epoch'], chunk);
    const [row] = await tx.read<{ stored: number | null }>(
      `SELECT SUM(stored) AS stored FROM artifacts_uploads WHERE ${condition}`,
      params,
    );
    staged += Number(row?.stored ?? 0);
    removed += await tx.write(`DELETE FROM artifacts_uploads WHERE ${condition}`, params);
  }
  return { removed, staged };
}

/**
 * Discards an upload: removes its row, and schedules what its writers stored for removal. Returns false if somebody
 * else has taken it over.
 */
export async function discard(tx: Transaction, upload: Upload, ids: IdSource, now: number): Promise<boolean> {
  const { removed, staged } = await deleteUploads(tx, [upload]);
  if (removed !== 1) return false;
  const counted = await addUsage(tx, upload, { staged: -staged, leaving: staged });
  await scheduleParts(tx, upload, uploadPartNames(upload), counted ? staged : 0, { ids, now, ...counted });
  return true;
}

/** Schedules the stored parts of an upload that starts over for removal; its row no longer names or counts them. */
export async function scheduleOldParts(
  tx: Transaction,
  upload: Upload,
  { ids, now }: { ids: IdSource; now: number },
): Promise<void> {
  const counted = await addUsage(tx, upload, { leaving: upload.stored });
  await scheduleParts(tx, upload, partNames(upload.parts), counted ? upload.stored : 0, { ids, now, ...counted });
}

async function scheduleParts(
  tx: Transaction,
  upload: Upload,
  names: readonly string[],
  bytes: number,
  { ids, now, untrusted = 0 }: { ids: IdSource; now: number; untrusted?: number },
): Promise<void> {
  const { upload_id, store } = upload;
  const removal = toRemoval(ids, { blob_id: upload_id, store }, names, bytes);
  await insertRemovals(tx, { ...upload, untrusted }, [removal], now + GRACE_MS);
}
