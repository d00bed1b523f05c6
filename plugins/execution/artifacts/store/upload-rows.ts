import { createHash } from 'node:crypto';
import { afterRow, chunks, inList, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { Part } from '../domain/parts.ts';
import type { RunScope } from './file-rows.ts';
import { type UsageLimits, addUsage } from './usage.ts';

/** What an upload announces. */
export interface UploadRequest {
  path: string;
  /** Without it, the upload cannot be continued after it breaks. */
  expected: { digest: string; size: number } | undefined;
  /** The activity that uploads, or null for a person. */
  activity_id: string | null;
}

export interface Upload extends RunScope {
  upload_id: string;
  activity_id: string | null;
  path: string;
  /** The announced values, and the verified ones once the upload is complete. */
  digest: string | null;
  size: number | null;
  store: string;
  epoch: number;
  stored: number;
  parts: readonly Part[];
  garbage: readonly string[];
  complete: boolean;
}

type Row = Omit<Upload, 'path' | 'parts' | 'garbage' | 'complete'> & {
  path: Buffer;
  parts: string;
  garbage: string;
  complete: number;
};

const COLUMNS =
  'upload_id, run_id, org_id, project_id, activity_id, path, digest, size, store, epoch, stored, parts, garbage, complete';

const toUpload = (row: Row): Upload => ({
  ...row,
  path: Buffer.from(row.path).toString(),
  size: row.size === null ? null : Number(row.size),
  epoch: Number(row.epoch),
  stored: Number(row.stored),
  parts: JSON.parse(row.parts) as Part[],
  garbage: JSON.parse(row.garbage) as string[],
  complete: row.complete === 1,
});

/** The same file for the same path and activity has one upload. */
function uploadKey({ run_id }: RunScope, { path, expected, activity_id }: UploadRequest): string | null {
  if (!expected) return null;
  const text = JSON.stringify([run_id, activity_id ?? '', path, expected.digest, expected.size]);
  return createHash('sha256').update(text).digest('hex');
}

export async function findUpload(
  on: Pick<Queries, 'read'>,
  scope: RunScope,
  request: UploadRequest,
): Promise<Upload | undefined> {
  const key = uploadKey(scope, request);
  if (key === null) return undefined;
  const [row] = await on.read<Row>(`SELECT ${COLUMNS} FROM artifacts_uploads WHERE upload_key = ?`, [key]);
  return row && toUpload(row);
}

export async function readUploads(
  on: Pick<Queries, 'read'>,
  upload_ids: readonly string[],
): Promise<Map<string, Upload>> {
  const uploads = new Map<string, Upload>();
  for (const ids of chunks(upload_ids)) {
    const list = inList(ids);
    const rows = await on.read<Row>(
      `SELECT ${COLUMNS} FROM artifacts_uploads WHERE upload_id IN ${list.placeholders}`,
      list.params,
    );
    for (const row of rows) uploads.set(row.upload_id, toUpload(row));
  }
  return uploads;
}

export async function insertUpload(
  on: Pick<Queries, 'write'>,
  scope: RunScope,
  request: UploadRequest,
  { upload_id, store, now }: { upload_id: string; store: string; now: number },
): Promise<Upload> {
  const { path, expected, activity_id } = request;
  const { run_id, org_id, project_id } = scope;
  await on.write(
    `INSERT INTO artifacts_uploads (${COLUMNS}, upload_key, touched_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0, '[]', '[]', 0, ?, ?)`,
    [
      upload_id,
      run_id,
      org_id,
      project_id,
      activity_id,
      Buffer.from(path),
      expected?.digest ?? null,
      expected?.size ?? null,
      store,
      uploadKey(scope, request),
      now,
    ],
  );
  return {
    upload_id,
    run_id,
    org_id,
    project_id,
    activity_id,
    path,
    store,
    digest: expected?.digest ?? null,
    size: expected?.size ?? null,
    epoch: 1,
    stored: 0,
    parts: [],
    garbage: [],
    complete: false,
  };
}

/** The state after a transition. Only the request with the upload's current epoch may write it. */
export type UploadState = Pick<Upload, 'parts' | 'stored' | 'garbage' | 'complete' | 'digest' | 'size'>;

/**
 * Writes the state of an upload and counts what is stored. Returns false if another request has taken the upload over
 * or it is gone. Throws `artifact_quota_exceeded`.
 */
export async function writeUpload(
  tx: Transaction,
  { upload_id, epoch, run_id, project_id }: Pick<Upload, 'upload_id' | 'epoch' | 'run_id' | 'project_id'>,
  state: UploadState & { epoch: number },
  { now, bounded }: { now: number; bounded: UsageLimits },
): Promise<boolean> {
  // Nobody else changes it in this epoch.
  const [before] = await tx.read<{ stored: number }>(
    'SELECT stored FROM artifacts_uploads WHERE upload_id = ? AND epoch = ?',
    [upload_id, epoch],
  );
  const written = await tx.write(
    `UPDATE artifacts_uploads SET epoch = ?, stored = ?, parts = ?, garbage = ?, complete = ?, digest = ?, size = ?, touched_at = ?
     WHERE upload_id = ? AND epoch = ?`,
    [
      state.epoch,
      state.stored,
      JSON.stringify(state.parts),
      JSON.stringify(state.garbage),
      state.complete ? 1 : 0,
      state.digest,
      state.size,
      now,
      upload_id,
      epoch,
    ],
  );
  if (written !== 1) return false;
  const staged = state.stored - Number(before?.stored ?? 0);
  await addUsage(tx, { run_id, project_id }, { staged }, bounded);
  return true;
}

export type StaleUpload = Upload & { touched_at: number };

/** Returns uploads that nobody has touched since a time, oldest first, starting after one. */
export async function listStaleUploads(
  on: Pick<Queries, 'read'>,
  before: number,
  after: StaleUpload | undefined,
  limit: number,
): Promise<StaleUpload[]> {
  const { condition, params } = afterRow(['touched_at', 'upload_id'], after);
  const rows = await on.read<Row & { touched_at: number }>(
    `SELECT ${COLUMNS}, touched_at FROM artifacts_uploads WHERE touched_at < ? AND ${condition}
     ORDER BY touched_at, upload_id LIMIT ${Math.trunc(limit)}`,
    [before, ...params],
  );
  return rows.map((row) => ({ ...toUpload(row), touched_at: Number(row.touched_at) }));
}
