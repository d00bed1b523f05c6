import type { Queries, SealContext, Sealer } from '../../../../kernel/contracts/index.ts';

/** Whose entries are meant: those of one run, or those of an entity of the project. Plugin runs creates the table `runs_cells`. */
export interface StateOwner {
  org_id: string;
  project_id: string;
  /** Empty for an entity. */
  run_id: string;
  /** Empty for the entries of a run. */
  entity: string;
}

export interface StateWriter {
  trusted: boolean;
  /** The id of a principal or of an activity. */
  written_by: string | null;
  /** Epoch ms by the database's clock. */
  at: number;
}

export interface StateEntry {
  key: string;
  value: string;
  /** Epoch ms. */
  updated_at: number;
}

/** Names are bound as bytes, because MySQL's binary collations ignore trailing spaces. */
const toBytes = (text: string): Buffer => Buffer.from(text);

/** Values are sealed, because a program may store anything. Names are not, because entries are found by them. */
const sealContext = ({ org_id, project_id, run_id, entity }: StateOwner, key: string): SealContext => ({
  org_id,
  project_id,
  table: 'runs_cells',
  kind: 'cell',
  name: JSON.stringify([run_id, entity, key]),
  field: 'value',
});

/** The keys of the org must be prepared. */
export async function readEntry(
  on: Queries,
  sealer: Sealer,
  owner: StateOwner,
  key: string,
): Promise<StateEntry | undefined> {
  const rows = await on.read<{ value: Buffer; written_at: number }>(
    'SELECT value, written_at FROM runs_cells WHERE project_id = ? AND run_id = ? AND entity = ? AND cell = ?',
    [owner.project_id, owner.run_id, toBytes(owner.entity), toBytes(key)],
  );
  const [row] = rows;
  if (!row) return undefined;
  const value = sealer.open(sealContext(owner, key), row.value).toString();
  return { key, value, updated_at: Number(row.written_at) };
}

const REPLACED = ['value', 'trusted', 'written_by', 'written_at'];

/** The keys of the org must be prepared. */
export async function writeEntry(
  on: Queries,
  sealer: Sealer,
  owner: StateOwner,
  key: string,
  value: string,
  by: StateWriter,
): Promise<void> {
  await on.write(
    `INSERT INTO runs_cells (project_id, run_id, entity, cell, org_id, value, trusted, written_by, written_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ${on.sql.upsert(['project_id', 'run_id', 'entity', 'cell'], REPLACED)}`,
    [
      owner.project_id,
      owner.run_id,
      toBytes(owner.entity),
      toBytes(key),
      owner.org_id,
      sealer.seal(sealContext(owner, key), Buffer.from(value)),
      by.trusted ? 1 : 0,
      by.written_by,
      by.at,
    ],
  );
}

/** Answers whether there was such an entry. */
export async function removeEntry(on: Queries, owner: StateOwner, key: string): Promise<boolean> {
  const removed = await on.write(
    'DELETE FROM runs_cells WHERE project_id = ? AND run_id = ? AND entity = ? AND cell = ?',
    [owner.project_id, owner.run_id, toBytes(owner.entity), toBytes(key)],
  );
  return removed > 0;
}

/** Keys in the order of their bytes, beginning after `after`. */
export async function listEntries(
  on: Queries,
  owner: StateOwner,
  after: string | undefined,
  limit: number,
): Promise<Omit<StateEntry, 'value'>[]> {
  const rows = await on.read<{ cell: Buffer; written_at: number }>(
    `SELECT cell, written_at FROM runs_cells
     WHERE project_id = ? AND run_id = ? AND entity = ? AND cell > ? ORDER BY cell LIMIT ${Math.trunc(limit)}`,
    [owner.project_id, owner.run_id, toBytes(owner.entity), toBytes(after ?? '')],
  );
  return rows.map((row) => ({ key: Buffer.from(row.cell).toString(), updated_at: Number(row.written_at) }));
}
