import type { Queries, SealedPlace, Sealer, Transaction } from '../../../kernel/contracts/index.ts';

/** A call that set or deleted one of a run's own cells. */
export interface CellVersionPlace {
  org_id: string;
  project_id: string;
  run_id: string;
  activity_id: string;
  position: number;
}

export interface CellVersion {
  position: number;
  key: string;
  /** Undefined: the cell was deleted. */
  value: string | undefined;
}

const sealedAt = ({ org_id, project_id, run_id, activity_id, position }: CellVersionPlace): SealedPlace => ({
  org_id,
  project_id,
  table: 'runs_cell_versions',
  kind: 'cell',
  name: `${run_id}/${activity_id}/${position}`,
  field: 'value',
});

/** The org's keys must be prepared. */
export async function insertCellVersion(
  tx: Transaction,
  sealer: Sealer,
  at: CellVersionPlace,
  key: string,
  value: string | undefined,
): Promise<void> {
  const sealed = value === undefined ? null : sealer.seal(sealedAt(at), Buffer.from(value));
  await tx.write('INSERT INTO runs_cell_versions (run_id, activity_id, position, cell, value) VALUES (?, ?, ?, ?, ?)', [
    at.run_id,
    at.activity_id,
    at.position,
    Buffer.from(key),
    sealed,
  ]);
}

/** Changes that an activity made to its run's cells before a position, in order. */
export async function cellVersions(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  at: CellVersionPlace,
): Promise<CellVersion[]> {
  const rows = await on.read<{ position: number; cell: Buffer; value: Buffer | null }>(
    `SELECT position, cell, value FROM runs_cell_versions WHERE run_id = ? AND activity_id = ? AND position < ?
     ORDER BY position`,
    [at.run_id, at.activity_id, at.position],
  );
  return rows.map(({ position, cell, value }) => ({
    position,
    key: Buffer.from(cell).toString(),
    value: value === null ? undefined : sealer.open(sealedAt({ ...at, position }), value).toString(),
  }));
}

/** One of these changes. */
export async function cellVersion(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  at: CellVersionPlace,
): Promise<CellVersion> {
  const [row] = await on.read<{ cell: Buffer; value: Buffer | null }>(
    'SELECT cell, value FROM runs_cell_versions WHERE run_id = ? AND activity_id = ? AND position = ?',
    [at.run_id, at.activity_id, at.position],
  );
  if (!row) throw new Error(`there is no change of a cell at ${at.position} of ${at.activity_id}`);
  const { cell, value } = row;
  return {
    position: at.position,
    key: Buffer.from(cell).toString(),
    value: value === null ? undefined : sealer.open(sealedAt(at), value).toString(),
  };
}
