import { chunks, inList, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { RunLimits } from '../../../engine/runs/contract.ts';
import { type Load, type Capacity, remainingCapacity } from '../domain/capacity.ts';

export interface OpenRun {
  run_id: string;
  name: string;
  event_id: string;
  trusted: boolean;
  /** The group whose runs its handler limits. */
  admission?: string | undefined;
  /** Whether it waits from the beginning. */
  waiting?: boolean;
  /** Which retry it is, from 1. */
  attempt?: number | undefined;
}

const CHUNK_SIZE = 200;

/**
 * Counts the handler runs of a project that are queued or running. While the project's bus is locked none starts and
 * none ends, but waiting runs may resume and others begin to wait.
 */
export async function countInFlight(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  max_untrusted: number,
): Promise<Load> {
  // One statement, because a run that begins to wait in between would be missed altogether.
  const [row] = await on.read<{ n: number; untrusted: number; parked: number }>(
    `SELECT COUNT(*) AS n, COUNT(untrusted) AS untrusted, (${countParkedStatement(max_untrusted)}) AS parked
     FROM handlers_runs WHERE project_id = ? AND waiting IS NULL`,
    max_untrusted === Infinity ? [project_id] : [project_id, project_id],
  );
  return { all: Number(row!.n), untrusted: Number(row!.untrusted), parked: Number(row!.parked) };
}

/** Counts no further than it matters. */
const countParkedStatement = (limit: number): string =>
  limit === Infinity
    ? 'SELECT 0'
    : `SELECT COUNT(*) FROM (SELECT 1 AS one FROM handlers_runs
       WHERE project_id = ? AND waiting = 1 AND untrusted = 1 LIMIT ${Math.trunc(limit)}) parked_runs`;

/** Returns the free capacity, with the same reservation as `countInFlight`. */
export const readCapacity = async (
  on: Pick<Queries, 'read'>,
  scope: ProjectScope,
  { project: { untrusted } }: Pick<RunLimits, 'project'>,
): Promise<Capacity> => remainingCapacity(await countInFlight(on, scope, untrusted.handlers), untrusted.handlers);

export async function insertOpenRuns(
  tx: Transaction,
  { org_id, project_id }: ProjectScope,
  runs: readonly OpenRun[],
  now: number,
): Promise<void> {
  if (runs.length === 0) return;
  await tx.write(
    `INSERT INTO handlers_runs (run_id, project_id, org_id, name, event_id, started_at, untrusted, waiting, admission, attempt)
     VALUES ${runs.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
    runs.flatMap(({ run_id, name, event_id, trusted, waiting, admission, attempt }) => [
      run_id,
      project_id,
      org_id,
      name,
      event_id,
      now,
      trusted ? null : 1,
      waiting ? 1 : null,
      admission ?? null,
      attempt ?? null,
    ]),
  );
}

/** Marks these runs (at most 128) as in flight again, however many others there are. */
export async function markWorking(tx: Transaction, run_ids: readonly string[]): Promise<void> {
  const list = inList(run_ids);
  await tx.write(
    `UPDATE handlers_runs SET waiting = NULL WHERE run_id IN ${list.placeholders} AND waiting = 1`,
    list.params,
  );
}

/** Marks these runs (at most 128) as waiting, and returns how many were in flight before. */
export async function markWaiting(tx: Transaction, run_ids: readonly string[]): Promise<number> {
  const list = inList(run_ids);
  return tx.write(
    `UPDATE handlers_runs SET waiting = 1 WHERE run_id IN ${list.placeholders} AND waiting IS NULL`,
    list.params,
  );
}

/** Beside ids of runs, which alone are looked up: for many ids SQLite would otherwise read all rows of the project. */
const OF_PROJECT = "COALESCE(project_id, '') = ?";

/** An open run, as far as its end needs it. */
interface OpenRunRef extends Pick<OpenRun, 'run_id' | 'name' | 'event_id'> {
  attempt: number | null;
  admission: string | null;
  untrusted: number | null;
}

/** Returns open runs with their handlers and events. */
export async function readOpenRuns(
  on: Pick<Queries, 'read'>,
  project_id: string,
  run_ids: readonly string[],
): Promise<OpenRunRef[]> {
  const found: OpenRunRef[] = [];
  for (const chunk of chunks(run_ids)) {
    const list = inList(chunk);
    const rows = await on.read<OpenRunRef>(
      `SELECT run_id, name, event_id, attempt, admission, untrusted FROM handlers_runs
       WHERE ${OF_PROJECT} AND run_id IN ${list.placeholders}`,
      [project_id, ...list.params],
    );
    found.push(...rows);
  }
  return found;
}

/** Removes runs that have ended. */
export async function removeOpenRuns(tx: Transaction, project_id: string, run_ids: readonly string[]): Promise<void> {
  for (let at = 0; at < run_ids.length; at += CHUNK_SIZE) {
    const chunk = run_ids.slice(at, at + CHUNK_SIZE);
    await tx.write(`DELETE FROM handlers_runs WHERE ${OF_PROJECT} AND run_id IN (${chunk.map(() => '?').join(', ')})`, [
      project_id,
      ...chunk,
    ]);
  }
}
