import {
  chunks,
  type Database,
  inList,
  insertRows,
  type Queries,
  type SealContext,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';

export interface ProjectScope {
  org_id: string;
  project_id: string;
}

export interface ContentRow {
  digest: string;
  size: number;
  used_at: number;
}

/** Maximum bytes stored in one row. */
export const PIECE_BYTES = 1024 * 1024;
/** A use is recorded again once the last one is older than this; nothing used within this time is removed. */
export const USE_INTERVAL_MS = 3_600_000;

const sealContext = ({ org_id, project_id }: ProjectScope, digest: string, n: number): SealContext => ({
  org_id,
  project_id,
  table: 'files_pieces',
  kind: 'files',
  name: `${digest}/${n}`,
  field: 'content',
});

/**
 * Stores a content, or records its use if it is stored already. Returns whether it is new. The org's keys must be
 * ready.
 */
export function storeContent(
  database: Database,
  sealer: Sealer,
  scope: ProjectScope,
  content: { digest: string; data: Buffer },
  onNew: (tx: Transaction) => Promise<void>,
): Promise<boolean> {
  const { org_id, project_id } = scope;
  const { digest, data } = content;
  const now = database.now();
  return database.transaction(async (tx) => {
    const touch = 'UPDATE files_contents SET used_at = ? WHERE project_id = ? AND digest = ?';
    if ((await tx.write(touch, [now, project_id, digest])) > 0) return false;
    const pieces = Array.from({ length: Math.ceil(data.length / PIECE_BYTES) }, (_, n) => [
      project_id,
      digest,
      n,
      org_id,
      sealer.seal(sealContext(scope, digest, n), data.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES)),
    ]);
    // Another upload of the same content may be in progress: each row comes from one or the other, and both are
    // right.
    const into = tx.sql.insert_ignore;
    await insertRows(tx, `${into} files_pieces`, ['project_id', 'digest', 'n', 'org_id', 'content'], pieces);
    const columns = ['project_id', 'digest', 'org_id', 'size', 'created_at', 'used_at'];
    const row = [project_id, digest, org_id, data.length, now, now];
    const created = (await insertRows(tx, `${into} files_contents`, columns, [row])) > 0;
    if (created) await onNew(tx);
    return created;
  });
}

/** Returns those that are stored in a project. */
export async function findContents(
  on: Pick<Queries, 'read'>,
  project_id: string,
  digests: readonly string[],
): Promise<ContentRow[]> {
  const rows: ContentRow[] = [];
  for (const chunk of chunks(digests)) {
    const list = inList(chunk);
    rows.push(
      ...(await on.read<ContentRow>(
        `SELECT digest, size, used_at FROM files_contents WHERE project_id = ? AND digest IN ${list.placeholders}`,
        [project_id, ...list.params],
      )),
    );
  }
  return rows;
}

/** Records that these contents are used now. Returns false if one of them was removed meanwhile. */
export async function recordUses(
  on: Pick<Queries, 'write'>,
  project_id: string,
  digests: readonly string[],
  now: number,
): Promise<boolean> {
  let updated = 0;
  for (const chunk of chunks(digests)) {
    const list = inList(chunk);
    const params = [now, project_id, ...list.params];
    updated += await on.write(
      `UPDATE files_contents SET used_at = ? WHERE project_id = ? AND digest IN ${list.placeholders}`,
      params,
    );
  }
  return updated === digests.length;
}

/** Yields the bytes of a content, piece by piece. The org's keys must be ready. Throws `sealed_value_unreadable`. */
export async function* readPieces(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  scope: ProjectScope,
  { digest, size }: Pick<ContentRow, 'digest' | 'size'>,
): AsyncGenerator<Buffer, void> {
  for (let n = 0; n * PIECE_BYTES < size; n++) {
    const [row] = await on.read<{ content: Buffer }>(
      'SELECT content FROM files_pieces WHERE project_id = ? AND digest = ? AND n = ?',
      [scope.project_id, digest, n],
    );
    // A content that was removed meanwhile comes out shorter; readers verify the digest.
    if (!row) return;
    yield sealer.open(sealContext(scope, digest, n), row.content);
  }
}
