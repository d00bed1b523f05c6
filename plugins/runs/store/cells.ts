import type { Queries, SealedPlace, Sealer } from '../../../kernel/contracts/index.ts';

/** The owner of cells: one run, or an entity of the project. */
export interface CellPlace {
  org_id: string;
  project_id: string;
  /** Empty for the whole project. */
  run_id: string;
  /** Empty for a run's own. */
  entity: string;
}

export interface CellWriter {
  trusted: boolean;
  /** A principal's id or an activity's id. */
  written_by: string | null;
  /** Epoch ms by the database's clock. */
  at: number;
}

export interface CellRow {
  key: string;
  value: string;
  updated_at: number;
}

/** Bound as bytes: MySQL's binary collations ignore trailing spaces, bytes do not. */
const bytes = (text: string): Buffer => Buffer.from(text);

/** A cell may hold anything, so values are sealed. Names are needed to find cells and are not. */
const sealedAt = ({ org_id, project_id, run_id, entity }: CellPlace, key: string): SealedPlace => ({
  org_id,
  project_id,
  table: 'runs_cells',
  kind: 'cell',
  name: JSON.stringify([run_id, entity, key]),
  field: 'value',
});

/** The org's keys must be prepared. */
export async function readCell(
  on: Queries,
  sealer: Sealer,
  place: CellPlace,
  key: string,
): Promise<CellRow | undefined> {
  const rows = await on.read<{ value: Buffer; written_at: number }>(
    'SELECT value, written_at FROM runs_cells WHERE project_id = ? AND run_id = ? AND entity = ? AND cell = ?',
    [place.project_id, place.run_id, bytes(place.entity), bytes(key)],
  );
  const [row] = rows;
  if (!row) return undefined;
  const value = sealer.open(sealedAt(place, key), row.value).toString();
  return { key, value, updated_at: Number(row.written_at) };
}

const VALUES = ['value', 'trusted', 'written_by', 'written_at'];

/** The org's keys must be prepared. */
export async function writeCell(
  on: Queries,
  sealer: Sealer,
  place: CellPlace,
  key: string,
  value: string,
  by: CellWriter,
): Promise<void> {
  await on.write(
    `INSERT INTO runs_cells (project_id, run_id, entity, cell, org_id, value, trusted, written_by, written_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ${on.sql.upsert(['project_id', 'run_id', 'entity', 'cell'], VALUES)}`,
    [
      place.project_id,
      place.run_id,
      bytes(place.entity),
      bytes(key),
      place.org_id,
      sealer.seal(sealedAt(place, key), Buffer.from(value)),
      by.trusted ? 1 : 0,
      by.written_by,
      by.at,
    ],
  );
}

/** False when there was none. */
export async function removeCell(on: Queries, place: CellPlace, key: string): Promise<boolean> {
  const removed = await on.write(
    'DELETE FROM runs_cells WHERE project_id = ? AND run_id = ? AND entity = ? AND cell = ?',
    [place.project_id, place.run_id, bytes(place.entity), bytes(key)],
  );
  return removed > 0;
}

/** Keys in order of their bytes, beginning after `after`. */
export async function listCells(
  on: Queries,
  place: CellPlace,
  after: string | undefined,
  limit: number,
): Promise<{ key: string; updated_at: number }[]> {
  const rows = await on.read<{ cell: Buffer; written_at: number }>(
    `SELECT cell, written_at FROM runs_cells
     WHERE project_id = ? AND run_id = ? AND entity = ? AND cell > ? ORDER BY cell LIMIT ${Math.trunc(limit)}`,
    [place.project_id, place.run_id, bytes(place.entity), bytes(after ?? '')],
  );
  return rows.map((row) => ({ key: Buffer.from(row.cell).toString(), updated_at: Number(row.written_at) }));
}
