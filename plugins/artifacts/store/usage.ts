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

/** Bytes that artifacts of a run have more than before, and those that its uploads have more; both may be negative. */
export interface Change {
  bytes?: number;
  staged?: number;
}

interface UsageRow {
  project_id: string;
  untrusted: number;
  bytes: number;
  staged: number;
}

async function readUsage(on: Pick<Queries, 'read'>, run_id: string): Promise<UsageRow | undefined> {
  const [row] = await on.read<UsageRow>(
    'SELECT project_id, untrusted, bytes, staged FROM artifacts_run_usage WHERE run_id = ?',
    [run_id],
  );
  return row && { ...row, bytes: Number(row.bytes), staged: Number(row.staged) };
}

async function bytesOfProject(
  on: Pick<Queries, 'read'>,
  { project_id }: Pick<RunPlace, 'project_id'>,
  untrusted: number,
): Promise<number> {
  const [row] = await on.read<{ bytes: number | null }>(
    'SELECT SUM(bytes) AS bytes FROM artifacts_project_usage WHERE project_id = ? AND untrusted = ?',
    [project_id, untrusted],
  );
  return Number(row?.bytes ?? 0);
}

/** How many more bytes there is room for, and the refusal of more. */
export interface Room {
  bytes: number;
  refusal(): Error;
}

/** The room for one more upload of a run. Runs of a project that store at the same moment may pass its bound by as much. */
export async function roomFor(on: Pick<Queries, 'read'>, place: RunPlace, { trusted, limits }: Bounded): Promise<Room> {
  const [own, shared] = [ofTrust(limits.run, trusted).artifacts, ofTrust(limits.project, trusted).artifacts];
  const used = await readUsage(on, place.run_id);
  const of_run = own - (used ? used.bytes + used.staged : 0);
  const of_project = shared === Infinity ? Infinity : shared - (await bytesOfProject(on, place, trusted ? 0 : 1));
  if (of_run <= of_project) return { bytes: of_run, refusal: () => ofRunExceeded(own, trusted) };
  return { bytes: of_project, refusal: () => ofProjectExceeded(shared, trusted) };
}

/**
 * Counts what a transaction changes. With `bounded` it makes the count of a run that has none, and throws
 * `artifact_quota_exceeded`; without it a run that is not counted is left alone, for it is gone.
 */
export async function count(
  tx: Transaction,
  place: Pick<RunPlace, 'run_id' | 'project_id'>,
  { bytes = 0, staged = 0 }: Change,
  bounded?: Bounded,
): Promise<void> {
  if (bytes === 0 && staged === 0) return;
  const { run_id, project_id } = place;
  let used = await readUsage(tx, run_id);
  if (!used && bounded) {
    used = { project_id, untrusted: bounded.trusted ? 0 : 1, bytes: 0, staged: 0 };
    // Another upload of the run may be the first at the same time.
    await tx.write(
      `${tx.sql.insert_ignore} artifacts_run_usage (run_id, project_id, untrusted, bytes, staged) VALUES (?, ?, ?, 0, 0)`,
      [run_id, project_id, used.untrusted],
    );
  }
  if (!used) return;
  if (bounded && bytes + staged > 0) {
    const { artifacts } = ofTrust(bounded.limits.run, bounded.trusted);
    if (used.bytes + used.staged + bytes + staged > artifacts) throw ofRunExceeded(artifacts, bounded.trusted);
  }
  await tx.write('UPDATE artifacts_run_usage SET bytes = bytes + ?, staged = staged + ? WHERE run_id = ?', [
    ...[bytes, staged, run_id],
  ]);
  if (bytes !== 0) await countForProject(tx, place, bytes, used.untrusted);
  if (!bounded || bytes <= 0) return;
  const { artifacts } = ofTrust(bounded.limits.project, bounded.trusted);
  if (artifacts !== Infinity && (await bytesOfProject(tx, place, used.untrusted)) > artifacts)
    throw ofProjectExceeded(artifacts, bounded.trusted);
}

async function countForProject(
  tx: Transaction,
  { run_id, project_id }: Pick<RunPlace, 'run_id' | 'project_id'>,
  bytes: number,
  untrusted: number,
): Promise<void> {
  const key = [project_id, untrusted, shardOf(run_id)];
  const add = () =>
    tx.write(
      'UPDATE artifacts_project_usage SET bytes = bytes + ? WHERE project_id = ? AND untrusted = ? AND shard = ?',
      [bytes, ...key],
    );
  if ((await add()) > 0) return;
  await tx.write(
    `${tx.sql.insert_ignore} artifacts_project_usage (project_id, untrusted, shard, bytes) VALUES (?, ?, ?, 0)`,
    key,
  );
  await add();
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

/** Gives back what is still counted of runs that are gone. Answers how many rows went. */
export async function forgetUsage(tx: Transaction, run_ids: readonly string[]): Promise<number> {
  const list = inList(run_ids);
  const rows = await tx.read<UsageRow & { run_id: string }>(
    `SELECT run_id, project_id, untrusted, bytes, staged FROM artifacts_run_usage WHERE run_id IN ${list.marks}`,
    list.params,
  );
  let removed = 0;
  for (const { run_id, project_id, untrusted, bytes } of rows) {
    const gone = await tx.write('DELETE FROM artifacts_run_usage WHERE run_id = ?', [run_id]);
    if (gone === 1 && Number(bytes) !== 0) await countForProject(tx, { run_id, project_id }, -Number(bytes), untrusted);
    removed += gone;
  }
  return removed;
}

const ofRunExceeded = (limit: number, trusted: boolean) =>
  ArtifactErrors.quotaExceeded(
    trusted
      ? `a run may have ${shownBytes(limit)} of artifacts (SVC_RUN_LIMITS), and this would be more`
      : `an untrusted run may have ${shownBytes(limit)} of artifacts (SVC_UNTRUSTED_RUN_LIMITS), and this would be more`,
    { data: { limit_bytes: limit } },
  );

const ofProjectExceeded = (limit: number, trusted: boolean) =>
  ArtifactErrors.quotaExceeded(
    trusted
      ? `the runs of a project may have ${shownBytes(limit)} of artifacts together (SVC_PROJECT_LIMITS), and this would be more`
      : `the untrusted runs of a project may have ${shownBytes(limit)} of artifacts together (SVC_UNTRUSTED_PROJECT_LIMITS), and this would be more`,
    { data: { limit_bytes: limit } },
  );
