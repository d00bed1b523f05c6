import { chunks, inList, type Queries, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import { type Load, type Room, roomBeside } from '../domain/room.ts';

export interface OpenRun {
  run_id: string;
  name: string;
  event_id: string;
  trusted: boolean;
}

const IN_ONE = 200;

/** Unfinished handler runs of a project. The number stays valid only while the project's bus is locked. */
export async function countOpen(on: Pick<Queries, 'read'>, { project_id }: ProjectScope): Promise<Load> {
  const [row] = await on.read<{ n: number; untrusted: number }>(
    'SELECT COUNT(*) AS n, COUNT(untrusted) AS untrusted FROM handlers_runs WHERE project_id = ?',
    [project_id],
  );
  return { all: Number(row!.n), untrusted: Number(row!.untrusted) };
}

/** The places that are free; the same holds for it. */
export const freeRoom = async (on: Pick<Queries, 'read'>, scope: ProjectScope): Promise<Room> =>
  roomBeside(await countOpen(on, scope));

export async function openRuns(
  tx: Transaction,
  { org_id, project_id }: ProjectScope,
  runs: readonly OpenRun[],
  now: number,
): Promise<void> {
  if (runs.length === 0) return;
  await tx.write(
    `INSERT INTO handlers_runs (run_id, project_id, org_id, name, event_id, started_at, untrusted)
     VALUES ${runs.map(() => '(?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
    runs.flatMap(({ run_id, name, event_id, trusted }) => [
      ...[run_id, project_id, org_id, name, event_id, now],
      trusted ? null : 1,
    ]),
  );
}

/** The handlers of open runs, one name for each run. */
export async function namesOf(
  on: Pick<Queries, 'read'>,
  project_id: string,
  run_ids: readonly string[],
): Promise<string[]> {
  const names: string[] = [];
  for (const some of chunks(run_ids)) {
    const list = inList(some);
    const rows = await on.read<{ name: string }>(
      `SELECT name FROM handlers_runs WHERE project_id = ? AND run_id IN ${list.marks}`,
      [project_id, ...list.params],
    );
    names.push(...rows.map(({ name }) => name));
  }
  return names;
}

/** Marks these runs as ended. */
export async function closeRuns(tx: Transaction, project_id: string, run_ids: readonly string[]): Promise<void> {
  for (let at = 0; at < run_ids.length; at += IN_ONE) {
    const some = run_ids.slice(at, at + IN_ONE);
    await tx.write(`DELETE FROM handlers_runs WHERE project_id = ? AND run_id IN (${some.map(() => '?').join(', ')})`, [
      project_id,
      ...some,
    ]);
  }
}
