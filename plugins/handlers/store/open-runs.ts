import { chunks, inList, type Queries, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { RunLimits } from '../../runs/contract.ts';
import { type Load, type Room, roomBeside } from '../domain/room.ts';

export interface OpenRun {
  run_id: string;
  name: string;
  event_id: string;
  trusted: boolean;
  /** It waits from its beginning. */
  waiting?: boolean;
}

const IN_ONE = 200;

/**
 * Handler runs of a project that are queued or running. While the project's bus is locked, none is started and none ends; but
 * runs that wait go on, and others begin to wait.
 */
export async function countInFlight(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  most_untrusted: number,
): Promise<Load> {
  // One statement: a run that begins to wait in between would not be seen at all.
  const [row] = await on.read<{ n: number; untrusted: number; parked: number }>(
    `SELECT COUNT(*) AS n, COUNT(untrusted) AS untrusted, (${parkedUpTo(most_untrusted)}) AS parked
     FROM handlers_runs WHERE project_id = ? AND waiting IS NULL`,
    most_untrusted === Infinity ? [project_id] : [project_id, project_id],
  );
  return { all: Number(row!.n), untrusted: Number(row!.untrusted), parked: Number(row!.parked) };
}

/** Looks no further than it matters. */
const parkedUpTo = (most: number): string =>
  most === Infinity
    ? 'SELECT 0'
    : `SELECT COUNT(*) FROM (SELECT 1 AS one FROM handlers_runs
       WHERE project_id = ? AND waiting = 1 AND untrusted = 1 LIMIT ${Math.trunc(most)}) parked_runs`;

/** The places that are free; the same holds for it. */
export const freeRoom = async (
  on: Pick<Queries, 'read'>,
  scope: ProjectScope,
  { project: { untrusted } }: Pick<RunLimits, 'project'>,
): Promise<Room> => roomBeside(await countInFlight(on, scope, untrusted.handlers), untrusted.handlers);

export async function openRuns(
  tx: Transaction,
  { org_id, project_id }: ProjectScope,
  runs: readonly OpenRun[],
  now: number,
): Promise<void> {
  if (runs.length === 0) return;
  await tx.write(
    `INSERT INTO handlers_runs (run_id, project_id, org_id, name, event_id, started_at, untrusted, waiting)
     VALUES ${runs.map(() => '(?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
    runs.flatMap(({ run_id, name, event_id, trusted, waiting }) => [
      ...[run_id, project_id, org_id, name, event_id, now],
      trusted ? null : 1,
      waiting ? 1 : null,
    ]),
  );
}

/** These runs, at most 128, are in flight again, whatever others there are. */
export async function noteWorking(tx: Transaction, run_ids: readonly string[]): Promise<void> {
  const list = inList(run_ids);
  await tx.write(`UPDATE handlers_runs SET waiting = NULL WHERE run_id IN ${list.marks} AND waiting = 1`, list.params);
}

/** These runs, at most 128, are not in flight while they wait. Answers how many of them were. */
export async function noteWaiting(tx: Transaction, run_ids: readonly string[]): Promise<number> {
  const list = inList(run_ids);
  return tx.write(
    `UPDATE handlers_runs SET waiting = 1 WHERE run_id IN ${list.marks} AND waiting IS NULL`,
    list.params,
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
