import { inList, type Queries, type Transaction } from '../../../kernel/contracts/index.ts';
import { ofTrust, type RunLimits, shownBytes } from '../../runs/contract.ts';
import { ArtifactErrors } from '../errors.ts';
import type { RunPlace } from './file-rows.ts';

/** Rows that share the count of a project. */
const SHARDS = 16;

/** The last character of an id is random. */
const shardOf = (run_id: string): number => run_id.charCodeAt(run_id.length - 1) % SHARDS;

/** How what a run stores is bounded; absent where nothing is refused. */
export interface Bounded {
  trusted: boolean;
  limits: RunLimits;
}

/** Bytes that a run has more than before; each may be negative. */
export interface Change {
  /** Of its artifacts. */
  bytes?: number;
  /** Of its uploads. */
  staged?: number;
  /** Of what nothing names any more, and what is not removed yet. */
  leaving?: number;
}

interface UsageRow extends Required<Change> {
  project_id: string;
  untrusted: number;
}

/**
 * What leaves is not in the way of what comes in its place: a run may replace all that it has. Both together have at most
 * so many times the bound, so a run that replaces its artifacts over and over waits until the first of them are removed.
 */
const WITH_LEAVING = 2;

/** How many more bytes fit beside those that are there and those that leave. */
const roomBeside = (limit: number, used: number, leaving: number): number =>
  Math.min(limit - used, WITH_LEAVING * limit - used - leaving);

async function readUsage(on: Pick<Queries, 'read'>, run_id: string): Promise<UsageRow | undefined> {
  const [row] = await on.read<UsageRow>(
    'SELECT project_id, untrusted, bytes, staged, leaving FROM artifacts_run_usage WHERE run_id = ?',
    [run_id],
  );
  return row && { ...row, bytes: Number(row.bytes), staged: Number(row.staged), leaving: Number(row.leaving) };
}

async function roomOfProject(
  on: Pick<Queries, 'read'>,
  { project_id }: Pick<RunPlace, 'project_id'>,
  untrusted: number,
  limit: number,
): Promise<Room> {
  if (limit === Infinity) return { bytes: Infinity, refusal: () => ofProjectExceeded(limit, untrusted === 0, 0) };
  const [row] = await on.read<{ bytes: number | null; leaving: number | null }>(
    `SELECT SUM(bytes) AS bytes, SUM(leaving) AS leaving FROM artifacts_project_usage
     WHERE project_id = ? AND untrusted = ?`,
    [project_id, untrusted],
  );
  const [bytes, leaving] = [Number(row?.bytes ?? 0), Number(row?.leaving ?? 0)];
  return {
    bytes: roomBeside(limit, bytes, leaving),
    refusal: () => ofProjectExceeded(limit, untrusted === 0, leaving),
  };
}

function roomOfRun({ bytes, staged, leaving }: Required<Change>, limit: number, trusted: boolean): Room {
  return {
    bytes: roomBeside(limit, bytes + staged, leaving),
    refusal: () => ofRunExceeded(limit, trusted, leaving),
  };
}

/** How many more bytes there is room for, and the refusal of more. */
export interface Room {
  bytes: number;
  refusal(): Error;
}

const NOTHING = { bytes: 0, staged: 0, leaving: 0 };

/** The room for one more upload of a run. Runs of a project that store at the same moment may pass its bound by as much. */
export async function roomFor(on: Pick<Queries, 'read'>, place: RunPlace, { trusted, limits }: Bounded): Promise<Room> {
  const [own, shared] = [ofTrust(limits.run, trusted).artifacts, ofTrust(limits.project, trusted).artifacts];
  const of_run = roomOfRun((await readUsage(on, place.run_id)) ?? NOTHING, own, trusted);
  const of_project = await roomOfProject(on, place, trusted ? 0 : 1, shared);
  return of_run.bytes <= of_project.bytes ? of_run : of_project;
}

/**
 * Counts what a transaction changes. With `bounded` it makes the count of a run that has none, and throws
 * `artifact_quota_exceeded`; without it a run that is not counted is left alone, for it is gone. Answers as what it was
 * counted; undefined when it was not.
 */
export async function count(
  tx: Transaction,
  place: Pick<RunPlace, 'run_id' | 'project_id'>,
  { bytes = 0, staged = 0, leaving = 0 }: Change,
  bounded?: Bounded,
): Promise<{ untrusted: number } | undefined> {
  if (bytes === 0 && staged === 0 && leaving === 0) return undefined;
  const { run_id, project_id } = place;
  let used = await readUsage(tx, run_id);
  if (!used && bounded) {
    used = { project_id, untrusted: bounded.trusted ? 0 : 1, ...NOTHING };
    // Another upload of the run may be the first at the same time.
    await tx.write(
      `${tx.sql.insert_ignore} artifacts_run_usage (run_id, project_id, untrusted, bytes, staged) VALUES (?, ?, ?, 0, 0)`,
      [run_id, project_id, used.untrusted],
    );
  }
  if (!used) return undefined;
  const more = bytes + staged + leaving;
  if (bounded && more > 0) {
    const room = roomOfRun(used, ofTrust(bounded.limits.run, bounded.trusted).artifacts, bounded.trusted);
    if (more > room.bytes) throw room.refusal();
  }
  await tx.write(
    'UPDATE artifacts_run_usage SET bytes = bytes + ?, staged = staged + ?, leaving = leaving + ? WHERE run_id = ?',
    [bytes, staged, leaving, run_id],
  );
  if (bytes !== 0 || leaving !== 0) await countForProject(tx, place, { bytes, leaving }, used.untrusted);
  if (bounded && bytes > 0) {
    const { artifacts } = ofTrust(bounded.limits.project, bounded.trusted);
    const room = await roomOfProject(tx, place, used.untrusted, artifacts);
    if (room.bytes < 0) throw room.refusal();
  }
  return used;
}

async function countForProject(
  tx: Transaction,
  { run_id, project_id }: Pick<RunPlace, 'run_id' | 'project_id'>,
  { bytes = 0, leaving = 0 }: Pick<Change, 'bytes' | 'leaving'>,
  untrusted: number,
): Promise<void> {
  const key = [project_id, untrusted, shardOf(run_id)];
  const add = () =>
    tx.write(
      `UPDATE artifacts_project_usage SET bytes = bytes + ?, leaving = leaving + ?
       WHERE project_id = ? AND untrusted = ? AND shard = ?`,
      [bytes, leaving, ...key],
    );
  if ((await add()) > 0) return;
  await tx.write(
    `${tx.sql.insert_ignore} artifacts_project_usage (project_id, untrusted, shard, bytes) VALUES (?, ?, ?, 0)`,
    key,
  );
  await add();
}

/** Bytes that have left a run, which may be gone. */
export interface Leaving extends Pick<RunPlace, 'run_id' | 'project_id'> {
  untrusted: number;
  bytes: number;
}

/** Gives back what has left. First to the runs, then to their projects: whoever stores locks in this order, too. */
export async function giveBack(tx: Transaction, left: readonly Leaving[]): Promise<void> {
  const sums = [...Map.groupBy(left, ({ run_id }) => run_id)]
    .map(([, some]) => ({ ...some[0]!, bytes: some.reduce((sum, { bytes }) => sum + bytes, 0) }))
    .sort((a, b) => (a.run_id < b.run_id ? -1 : 1));
  for (const { run_id, bytes } of sums)
    await tx.write('UPDATE artifacts_run_usage SET leaving = leaving - ? WHERE run_id = ?', [bytes, run_id]);
  for (const { untrusted, bytes, ...place } of sums) await countForProject(tx, place, { leaving: -bytes }, untrusted);
}

/** A rerun has the artifacts of the first run, and its trust. Nothing is refused: the contents are there already. */
export async function countCopied(
  tx: Transaction,
  from: Pick<RunPlace, 'run_id'>,
  to: Pick<RunPlace, 'run_id' | 'project_id'>,
  bytes: number,
): Promise<void> {
  const first = await readUsage(tx, from.run_id);
  await tx.write(
    `${tx.sql.insert_ignore} artifacts_run_usage (run_id, project_id, untrusted, bytes, staged) VALUES (?, ?, ?, 0, 0)`,
    [to.run_id, to.project_id, first?.untrusted ?? 0],
  );
  await count(tx, to, { bytes });
}

/** Gives back what is still counted of runs that are gone, but for what leaves. Answers how many rows went. */
export async function forgetUsage(tx: Transaction, run_ids: readonly string[]): Promise<number> {
  const list = inList(run_ids);
  const rows = await tx.read<UsageRow & { run_id: string }>(
    `SELECT run_id, project_id, untrusted, bytes, staged FROM artifacts_run_usage WHERE run_id IN ${list.marks}`,
    list.params,
  );
  let removed = 0;
  for (const { run_id, project_id, untrusted, bytes } of rows) {
    const gone = await tx.write('DELETE FROM artifacts_run_usage WHERE run_id = ?', [run_id]);
    if (gone === 1 && Number(bytes) !== 0)
      await countForProject(tx, { run_id, project_id }, { bytes: -Number(bytes) }, untrusted);
    removed += gone;
  }
  return removed;
}

/** What somebody who could store nothing more has to know beside the bound. */
const waits = (leaving: number): string =>
  leaving === 0
    ? 'this would be more'
    : `this would be more, or too much beside the ${shownBytes(leaving)} that were replaced, removed or given up and leave within 15 minutes`;

const ofRunExceeded = (limit: number, trusted: boolean, leaving: number) =>
  ArtifactErrors.quotaExceeded(
    trusted
      ? `a run may have ${shownBytes(limit)} of artifacts (SVC_RUN_LIMITS), and ${waits(leaving)}`
      : `an untrusted run may have ${shownBytes(limit)} of artifacts (SVC_UNTRUSTED_RUN_LIMITS), and ${waits(leaving)}`,
    { data: { limit_bytes: limit, leaving_bytes: leaving } },
  );

const ofProjectExceeded = (limit: number, trusted: boolean, leaving: number) =>
  ArtifactErrors.quotaExceeded(
    trusted
      ? `the runs of a project may have ${shownBytes(limit)} of artifacts together (SVC_PROJECT_LIMITS), and ${waits(leaving)}`
      : `the untrusted runs of a project may have ${shownBytes(limit)} of artifacts together (SVC_UNTRUSTED_PROJECT_LIMITS), and ${waits(leaving)}`,
    { data: { limit_bytes: limit, leaving_bytes: leaving } },
  );
