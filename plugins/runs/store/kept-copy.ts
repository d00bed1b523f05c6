import { chunks, type Database, inList, type Sealer, type Transaction } from '../../../kernel/contracts/index.ts';
import type { CopiedPrefix, KeptRecord, KeptResults } from '../contract.ts';
import { cellVersion, insertCellVersion } from './cell-versions.ts';
import { writeCell } from './cells.ts';

type Redone = KeptResults['redone'];

/** The records of these verbs that jobs have which a rerun keeps. */
export async function keptRecords(
  on: Transaction,
  run_id: string,
  kinds: readonly string[],
  redone: Redone,
): Promise<KeptRecord[]> {
  const { marks, params } = inList(kinds);
  const rows = await on.read<KeptRecord>(
    `SELECT j.activity_id, a.name AS job, j.position, j.kind, j.name, j.ordinal, j.exit_code FROM runs_journal j
     JOIN runs_activities a ON a.activity_id = j.activity_id
     WHERE j.run_id = ? AND j.kind IN ${marks} ORDER BY j.activity_id, j.position`,
    [run_id, ...params],
  );
  return withoutRedone(on, rows, redone);
}

/** A change of one of a run's own cells, without its value. */
interface CellChange {
  activity_id: string;
  position: number;
  cell: Buffer;
  /** Null: a job of an earlier run made it, which this one has kept. */
  recorded_at: number | null;
}

interface KeptCells {
  kept: KeptResults;
  /** A job that is rerun from a site: what it changed before that stays too. */
  resumed: CopiedPrefix | undefined;
  trusted: boolean;
}

/**
 * The run's own cells as those jobs left them that a rerun keeps, and with them the changes that made them so: a rerun of the
 * rerun needs these.
 */
export async function copyKeptCells(
  tx: Transaction,
  sealer: Sealer,
  database: Pick<Database, 'now'>,
  { kept, resumed, trusted }: KeptCells,
): Promise<void> {
  const { org_id, project_id, from, to } = kept;
  const changes = await tx.read<CellChange>(
    `SELECT v.activity_id, v.position, v.cell, j.recorded_at FROM runs_cell_versions v
     LEFT JOIN runs_journal j ON j.run_id = v.run_id AND j.activity_id = v.activity_id AND j.position = v.position
     WHERE v.run_id = ?`,
    [from.run_id],
  );
  const before = (one: CellChange) =>
    one.activity_id === resumed?.from.activity_id && one.position < resumed.records.length;
  const stays = new Set([...(await withoutRedone(tx, changes, kept.redone)), ...changes.filter(before)]);
  const inOrder = changes
    .filter((one) => stays.has(one))
    .sort((a, b) => (a.recorded_at ?? 0) - (b.recorded_at ?? 0) || a.position - b.position);
  const last = new Map(inOrder.map((one) => [Buffer.from(one.cell).toString('hex'), one]));
  const at = database.now();
  const scope = { org_id, project_id };
  for (const one of inOrder) {
    const own = before(one);
    const final = last.get(Buffer.from(one.cell).toString('hex')) === one;
    // Of a job that goes on every change is needed, of another one what came of them.
    if (!own && !final) continue;
    const { activity_id, position } = one;
    const { key, value } = await cellVersion(tx, sealer, { ...scope, run_id: from.run_id, activity_id, position });
    const by = own ? resumed!.to.activity_id : activity_id;
    await insertCellVersion(tx, sealer, { ...scope, run_id: to.run_id, activity_id: by, position }, key, value);
    if (final && value !== undefined)
      await writeCell(tx, sealer, { ...scope, run_id: to.run_id, entity: '' }, key, value, {
        trusted,
        written_by: by,
        at,
      });
  }
}

async function withoutRedone<Row extends { activity_id: string }>(
  on: Transaction,
  rows: readonly Row[],
  redone: Redone,
): Promise<Row[]> {
  const again = new Set<string>();
  const ids = new Set(rows.map(({ activity_id }) => activity_id));
  for (const some of chunks([...ids])) for (const id of await redone(on, some)) again.add(id);
  return rows.filter(({ activity_id }) => !again.has(activity_id));
}
