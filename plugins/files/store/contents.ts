import {
  chunks,
  type Database,
  inList,
  insertRows,
  type Queries,
  type SealedPlace,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';

export interface Place {
  org_id: string;
  project_id: string;
}

export interface ContentRow {
  digest: string;
  size: number;
  used_at: number;
}

/** Of what is stored in one row. */
export const PIECE_BYTES = 1024 * 1024;
/** A use is written again when the last one is older: until then nothing that is used within this time is removed. */
export const NOTED_MS = 3_600_000;

const placeOf = ({ org_id, project_id }: Place, digest: string, n: number): SealedPlace => ({
  org_id,
  project_id,
  table: 'files_pieces',
  kind: 'files',
  name: `${digest}/${n}`,
  field: 'content',
});

/** Stores a content, or notes its use when it is there. True: it is new. The org's keys must be ready. */
export function storeContent(
  database: Database,
  sealer: Sealer,
  place: Place,
  content: { digest: string; data: Buffer },
  onNew: (tx: Transaction) => Promise<void>,
): Promise<boolean> {
  const { org_id, project_id } = place;
  const { digest, data } = content;
  const now = database.now();
  return database.transaction(async (tx) => {
    const touch = 'UPDATE files_contents SET used_at = ? WHERE project_id = ? AND digest = ?';
    if ((await tx.write(touch, [now, project_id, digest])) > 0) return false;
    const pieces = Array.from({ length: Math.ceil(data.length / PIECE_BYTES) }, (_, n) => [
      ...[project_id, digest, n, org_id],
      sealer.seal(placeOf(place, digest, n), data.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES)),
    ]);
    // Another upload of the same content may be at it: each row is of one or the other, and both are right.
    const into = tx.sql.insert_ignore;
    await insertRows(tx, `${into} files_pieces`, ['project_id', 'digest', 'n', 'org_id', 'content'], pieces);
    const columns = ['project_id', 'digest', 'org_id', 'size', 'created_at', 'used_at'];
    const row = [project_id, digest, org_id, data.length, now, now];
    const fresh = (await insertRows(tx, `${into} files_contents`, columns, [row])) > 0;
    if (fresh) await onNew(tx);
    return fresh;
  });
}

/** Those of a project that are stored. */
export async function findContents(
  on: Pick<Queries, 'read'>,
  project_id: string,
  digests: readonly string[],
): Promise<ContentRow[]> {
  const found: ContentRow[] = [];
  for (const some of chunks(digests)) {
    const list = inList(some);
    found.push(
      ...(await on.read<ContentRow>(
        `SELECT digest, size, used_at FROM files_contents WHERE project_id = ? AND digest IN ${list.marks}`,
        [project_id, ...list.params],
      )),
    );
  }
  return found;
}

/** Notes that these are used now. False: one of them has gone meanwhile. */
export async function noteUses(
  on: Pick<Queries, 'write'>,
  project_id: string,
  digests: readonly string[],
  now: number,
): Promise<boolean> {
  let noted = 0;
  for (const some of chunks(digests)) {
    const list = inList(some);
    const params = [now, project_id, ...list.params];
    noted += await on.write(
      `UPDATE files_contents SET used_at = ? WHERE project_id = ? AND digest IN ${list.marks}`,
      params,
    );
  }
  return noted === digests.length;
}

/** The bytes of a content, piece by piece. The org's keys must be ready. Throws `sealed_value_unreadable`. */
export async function* piecesOf(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  place: Place,
  { digest, size }: Pick<ContentRow, 'digest' | 'size'>,
): AsyncGenerator<Buffer, void> {
  for (let n = 0; n * PIECE_BYTES < size; n++) {
    const [row] = await on.read<{ content: Buffer }>(
      'SELECT content FROM files_pieces WHERE project_id = ? AND digest = ? AND n = ?',
      [place.project_id, digest, n],
    );
    // Whoever reads compares the digest: a content that was removed meanwhile is a shorter one.
    if (!row) return;
    yield sealer.open(placeOf(place, digest, n), row.content);
  }
}
