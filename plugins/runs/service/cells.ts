import { Errors, type Queries, type SealedPlace, type Sealer } from '../../../kernel/contracts/index.ts';
import { lineFault } from '../domain/line.ts';

/** A value: exactly this many bytes of UTF-8 are accepted. */
export const CELL_BYTES = 256 * 1024;
const NAME_LENGTH = 255;

/** Where cells live: one run's own, or an entity of the whole project. */
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
  /** A principal's id or an activity's. */
  written_by: string | null;
  /** Epoch ms by the database's clock. */
  at: number;
}

export interface CellRow {
  key: string;
  value: string;
  updated_at: number;
}

/** Answers the name of an entity or a key; throws `invalid_request` naming `pointer`. */
export function checkCellName(pointer: string, name: string): string {
  const message = lineFault(name, NAME_LENGTH);
  if (message === undefined) return name;
  throw Errors.invalidRequest(`${pointer.slice(pointer.lastIndexOf('/') + 1)} ${message}`, {
    errors: [{ pointer, message }],
  });
}

/** Throws `payload_too_large`. */
export function checkCellValue(value: string): string {
  const bytes = Buffer.byteLength(value);
  if (bytes <= CELL_BYTES) return value;
  throw Errors.payloadTooLarge(`the value has ${bytes} bytes, ${bytes - CELL_BYTES} more than the ${CELL_BYTES} taken`);
}

/** Bound as bytes: binary collations of MySQL ignore trailing spaces, bytes do not. */
const bytes = (text: string): Buffer => Buffer.from(text);

/** A script may keep anything in a cell, so that its value is sealed; names are found by and stay as they are. */
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
