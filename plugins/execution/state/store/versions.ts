import type { Queries, SealContext, Sealer, Transaction } from '../../../../kernel/contracts/index.ts';

/** The call that set or deleted an entry of its run. Plugin runs creates the table `runs_cell_versions`. */
export interface StateCallRef {
  org_id: string;
  project_id: string;
  run_id: string;
  activity_id: string;
  position: number;
}

export interface StateVersion {
  position: number;
  key: string;
  /** Undefined: the entry was deleted. */
  value: string | undefined;
}

/** A change of an entry of a run, without its value. */
export interface StateChange {
  activity_id: string;
  position: number;
  cell: Buffer;
  /** Null: a job of an earlier run made the change, and this run reused that job. */
  recorded_at: number | null;
}

const sealContext = ({ org_id, project_id, run_id, activity_id, position }: StateCallRef): SealContext => ({
  org_id,
  project_id,
  table: 'runs_cell_versions',
  kind: 'cell',
  name: `${run_id}/${activity_id}/${position}`,
  field: 'value',
});

/** The keys of the org must be prepared. */
export async function insertVersion(
  tx: Transaction,
  sealer: Sealer,
  at: StateCallRef,
  key: string,
  value: string | undefined,
): Promise<void> {
  const sealed = value === undefined ? null : sealer.seal(sealContext(at), Buffer.from(value));
  await tx.write('INSERT INTO runs_cell_versions (run_id, activity_id, position, cell, value) VALUES (?, ?, ?, ?, ?)', [
    at.run_id,
    at.activity_id,
    at.position,
    Buffer.from(key),
    sealed,
  ]);
}

/** Changes that an activity made to the entries of its run before a position, in order. */
export async function readVersionsBefore(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  at: StateCallRef,
): Promise<StateVersion[]> {
  const rows = await on.read<{ position: number; cell: Buffer; value: Buffer | null }>(
    `SELECT position, cell, value FROM runs_cell_versions WHERE run_id = ? AND activity_id = ? AND position < ?
     ORDER BY position`,
    [at.run_id, at.activity_id, at.position],
  );
  return rows.map(({ position, cell, value }) => ({
    position,
    key: Buffer.from(cell).toString(),
    value: value === null ? undefined : sealer.open(sealContext({ ...at, position }), value).toString(),
  }));
}

export async function readVersion(on: Pick<Queries, 'read'>, sealer: Sealer, at: StateCallRef): Promise<StateVersion> {
  const [row] = await on.read<{ cell: Buffer; value: Buffer | null }>(
    'SELECT cell, value FROM runs_cell_versions WHERE run_id = ? AND activity_id = ? AND position = ?',
    [at.run_id, at.activity_id, at.position],
  );
  if (!row) throw new Error(`there is no state change at position ${at.position} of ${at.activity_id}`);
  const { cell, value } = row;
  return {
    position: at.position,
    key: Buffer.from(cell).toString(),
    value: value === null ? undefined : sealer.open(sealContext(at), value).toString(),
  };
}

/** Every change of the entries of a run, whichever activity made it. */
export const readChanges = (on: Pick<Queries, 'read'>, run_id: string): Promise<StateChange[]> =>
  on.read(
    `SELECT v.activity_id, v.position, v.cell, j.recorded_at FROM runs_cell_versions v
     LEFT JOIN runs_journal j ON j.run_id = v.run_id AND j.activity_id = v.activity_id AND j.position = v.position
     WHERE v.run_id = ?`,
    [run_id],
  );
