import { inList, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';

/** How far the index of a project has come. */
export interface Cursor {
  project_id: string;
  org_id: string;
  /** The version of the org's key that makes the terms. */
  key_version: number;
  /** The runs whose end was announced up to this event are in the index. */
  seq: number;
  /** When that event was recorded. */
  indexed_until: number;
  /** Older ended runs than this one are not in the index yet; null: all are. */
  older: string | null;
}

const COLUMNS = 'project_id, org_id, key_version, seq, indexed_until, older';

export async function readCursors(
  on: Pick<Queries, 'read'>,
  project_ids: readonly string[],
): Promise<Map<string, Cursor>> {
  const list = inList(project_ids);
  const rows = await on.read<Cursor>(
    `SELECT ${COLUMNS} FROM run_search_cursors WHERE project_id IN ${list.placeholders}`,
    list.params,
  );
  return new Map(
    rows.map((row) => [
      row.project_id,
      {
        ...row,
        key_version: Number(row.key_version),
        seq: Number(row.seq),
        indexed_until: Number(row.indexed_until),
      },
    ]),
  );
}

/** Another server may have been first. */
export const insertCursor = (tx: Transaction, row: Cursor): Promise<number> =>
  tx.write(`${tx.sql.insert_ignore} run_search_cursors (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`, [
    row.project_id,
    row.org_id,
    row.key_version,
    row.seq,
    row.indexed_until,
    row.older,
  ]);

/** Moves a cursor on. Returns false when another server has moved it. */
export async function moveCursor(tx: Transaction, from: Cursor, to: Cursor): Promise<boolean> {
  const older = from.older === null ? 'older IS NULL' : 'older = ?';
  const moved = await tx.write(
    `UPDATE run_search_cursors SET seq = ?, indexed_until = ?, older = ? WHERE project_id = ? AND seq = ? AND ${older}`,
    [to.seq, to.indexed_until, to.older, from.project_id, from.seq, ...(from.older === null ? [] : [from.older])],
  );
  return moved > 0;
}
