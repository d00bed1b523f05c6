import { inList, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import { ofTrust, type RunLimits, shownBytes } from '../../../engine/runs/contract.ts';
import { ArtifactErrors } from '../errors.ts';
import type { RunScope } from './file-rows.ts';

/** Number of rows that share the count of a project. */
const SHARDS = 16;

/** The last character of an id is random. */
const runShard = (run_id: string): number => run_id.charCodeAt(run_id.length - 1) % SHARDS;

/** The limits on what a run stores; left out where nothing is rejected. */
export interface UsageLimits {
  trusted: boolean;
  limits: RunLimits;
}

/** Bytes by which the usage of a run changes; each may be negative. */
export interface UsageChange {
  /** Bytes of its artifacts. */
  bytes?: number;
  /** Bytes of its uploads. */
  staged?: number;
  /** Bytes of what no row names any more but is not removed yet. */
  leaving?: number;
}

interface UsageRow extends Required<UsageChange> {
  project_id: string;
  untrusted: number;
}

/**
 * What is leaving does not block what replaces it, so a run may replace everything that it has. Both together may
 * have at most this many times the limit, so a run that keeps replacing its artifacts waits until the first of them
 * are removed.
 */
const LEAVING_FACTOR = 2;

/** Returns how many more bytes fit besides those that are stored and those that are leaving. */
const remainingBytes = (limit: number, used: number, leaving: number): number =>
  Math.min(limit - used, LEAVING_FACTOR * limit - used - leaving);

async function readUsage(on: Pick<Queries, 'read'>, run_id: string): Promise<UsageRow | undefined> {
  const [row] = await on.read<UsageRow>(
    'SELECT project_id, untrusted, bytes, staged, leaving FROM artifacts_run_usage WHERE run_id = ?',
    [run_id],
  );
  return row && { ...row, bytes: Number(row.bytes), staged: Number(row.staged), leaving: Number(row.leaving) };
}

async function projectCapacity(
  on: Pick<Queries, 'read'>,
  { project_id }: Pick<RunScope, 'project_id'>,
  untrusted: number,
  limit: number,
): Promise<Capacity> {
  if (limit === Infinity) return { bytes: Infinity, toError: () => projectQuotaExceeded(limit, untrusted === 0, 0) };
  const [row] = await on.read<{ bytes: number | null; leaving: number | null }>(
    `SELECT SUM(bytes) AS bytes, SUM(leaving) AS leaving FROM artifacts_project_usage
     WHERE project_id = ? AND untrusted = ?`,
    [project_id, untrusted],
  );
  const bytes = Number(row?.bytes ?? 0);
  const leaving = Number(row?.leaving ?? 0);
  return {
    bytes: remainingBytes(limit, bytes, leaving),
    toError: () => projectQuotaExceeded(limit, untrusted === 0, leaving),
  };
}

function runCapacity({ bytes, staged, leaving }: Required<UsageChange>, limit: number, trusted: boolean): Capacity {
  return {
    bytes: remainingBytes(limit, bytes + staged, leaving),
    toError: () => runQuotaExceeded(limit, trusted, leaving),
  };
}

/** How many more bytes there is capacity for, and the rejection of more. */
export interface Capacity {
  bytes: number;
  toError(): Error;
}

const NO_USAGE = { bytes: 0, staged: 0, leaving: 0 };

/**
 * Returns the capacity for one more upload of a run. Runs of a project that store at the same moment may each exceed
 * its limit.
 */
export async function readCapacity(
  on: Pick<Queries, 'read'>,
  scope: RunScope,
  { trusted, limits }: UsageLimits,
): Promise<Capacity> {
  const { artifacts: run_limit } = ofTrust(limits.run, trusted);
  const { artifacts: project_limit } = ofTrust(limits.project, trusted);
  const of_run = runCapacity((await readUsage(on, scope.run_id)) ?? NO_USAGE, run_limit, trusted);
  const of_project = await projectCapacity(on, scope, trusted ? 0 : 1, project_limit);
  return of_run.bytes <= of_project.bytes ? of_run : of_project;
}

/**
 * Counts what a transaction changes, and returns how it was counted, or undefined if it was not. With `bounded` it
 * creates the count of a run that has none, and throws `artifact_quota_exceeded`; without it, a run that is not
 * counted is left alone because it is gone.
 */
export async function addUsage(
  tx: Transaction,
  scope: Pick<RunScope, 'run_id' | 'project_id'>,
  { bytes = 0, staged = 0, leaving = 0 }: UsageChange,
  bounded?: UsageLimits,
): Promise<{ untrusted: number } | undefined> {
  if (bytes === 0 && staged === 0 && leaving === 0) return undefined;
  const { run_id, project_id } = scope;
  let used = await readUsage(tx, run_id);
  if (!used && bounded) {
    used = { project_id, untrusted: bounded.trusted ? 0 : 1, ...NO_USAGE };
    // Another upload of the run may be the first at the same time.
    await tx.write(
      `${tx.sql.insert_ignore} artifacts_run_usage (run_id, project_id, untrusted, bytes, staged) VALUES (?, ?, ?, 0, 0)`,
      [run_id, project_id, used.untrusted],
    );
  }
  if (!used) return undefined;
  const added = bytes + staged + leaving;
  if (bounded && added > 0) {
    const capacity = runCapacity(used, ofTrust(bounded.limits.run, bounded.trusted).artifacts, bounded.trusted);
    if (added > capacity.bytes) throw capacity.toError();
  }
  await tx.write(
    'UPDATE artifacts_run_usage SET bytes = bytes + ?, staged = staged + ?, leaving = leaving + ? WHERE run_id = ?',
    [bytes, staged, leaving, run_id],
  );
  if (bytes !== 0 || leaving !== 0) await countForProject(tx, scope, { bytes, leaving }, used.untrusted);
  if (bounded && bytes > 0) {
    const { artifacts } = ofTrust(bounded.limits.project, bounded.trusted);
    const capacity = await projectCapacity(tx, scope, used.untrusted, artifacts);
    if (capacity.bytes < 0) throw capacity.toError();
  }
  return used;
}

async function countForProject(
  tx: Transaction,
  { run_id, project_id }: Pick<RunScope, 'run_id' | 'project_id'>,
  { bytes = 0, leaving = 0 }: Pick<UsageChange, 'bytes' | 'leaving'>,
  untrusted: number,
): Promise<void> {
  const key = [project_id, untrusted, runShard(run_id)];
  const increment = () =>
    tx.write(
      `UPDATE artifacts_project_usage SET bytes = bytes + ?, leaving = leaving + ?
       WHERE project_id = ? AND untrusted = ? AND shard = ?`,
      [bytes, leaving, ...key],
    );
  if ((await increment()) > 0) return;
  await tx.write(
    `${tx.sql.insert_ignore} artifacts_project_usage (project_id, untrusted, shard, bytes) VALUES (?, ?, ?, 0)`,
    key,
  );
  await increment();
}

/** Bytes that have left a run, which may be gone. */
export interface ReleasedBytes extends Pick<RunScope, 'run_id' | 'project_id'> {
  untrusted: number;
  bytes: number;
}

/**
 * Subtracts removed bytes, first from the runs and then from their projects: stores lock in the same order.
 */
export async function releaseBytes(tx: Transaction, released: readonly ReleasedBytes[]): Promise<void> {
  const sums = [...Map.groupBy(released, ({ run_id }) => run_id)]
    .map(([, released_bytes]) => ({
      ...released_bytes[0]!,
      bytes: released_bytes.reduce((sum, { bytes }) => sum + bytes, 0),
    }))
    .sort((a, b) => (a.run_id < b.run_id ? -1 : 1));
  for (const { run_id, bytes } of sums)
    await tx.write('UPDATE artifacts_run_usage SET leaving = leaving - ? WHERE run_id = ?', [bytes, run_id]);
  for (const { untrusted, bytes, ...place } of sums) await countForProject(tx, place, { leaving: -bytes }, untrusted);
}

/**
 * Counts the artifacts that a rerun copies, with the trust of the first run. Nothing is rejected, because the
 * contents exist already.
 */
export async function countCopied(
  tx: Transaction,
  from: Pick<RunScope, 'run_id'>,
  to: Pick<RunScope, 'run_id' | 'project_id'>,
  bytes: number,
): Promise<void> {
  const source = await readUsage(tx, from.run_id);
  await tx.write(
    `${tx.sql.insert_ignore} artifacts_run_usage (run_id, project_id, untrusted, bytes, staged) VALUES (?, ?, ?, 0, 0)`,
    [to.run_id, to.project_id, source?.untrusted ?? 0],
  );
  await addUsage(tx, to, { bytes });
}

/**
 * Subtracts what is still counted for runs that are gone, except what is leaving, and returns the number of removed
 * rows.
 */
export async function deleteUsage(tx: Transaction, run_ids: readonly string[]): Promise<number> {
  const list = inList(run_ids);
  const rows = await tx.read<UsageRow & { run_id: string }>(
    `SELECT run_id, project_id, untrusted, bytes, staged FROM artifacts_run_usage WHERE run_id IN ${list.placeholders}`,
    list.params,
  );
  let removed = 0;
  for (const { run_id, project_id, untrusted, bytes } of rows) {
    const deleted = await tx.write('DELETE FROM artifacts_run_usage WHERE run_id = ?', [run_id]);
    if (deleted === 1 && Number(bytes) !== 0)
      await countForProject(tx, { run_id, project_id }, { bytes: -Number(bytes) }, untrusted);
    removed += deleted;
  }
  return removed;
}

/** What somebody who can store nothing more needs to know besides the limit. */
const explainOverLimit = (leaving: number): string =>
  leaving === 0
    ? 'this file would exceed it'
    : `this file would exceed it, together with the ${shownBytes(leaving)} of replaced, removed or abandoned uploads that are freed within 15 minutes`;

const runQuotaExceeded = (limit: number, trusted: boolean, leaving: number) =>
  ArtifactErrors.quotaExceeded(
    trusted
      ? `a run can have ${shownBytes(limit)} of artifacts (SVC_RUN_LIMITS), and ${explainOverLimit(leaving)}`
      : `an untrusted run can have ${shownBytes(limit)} of artifacts (SVC_UNTRUSTED_RUN_LIMITS), and ${explainOverLimit(leaving)}`,
    { data: { limit_bytes: limit, leaving_bytes: leaving } },
  );

const projectQuotaExceeded = (limit: number, trusted: boolean, leaving: number) =>
  ArtifactErrors.quotaExceeded(
    trusted
      ? `the runs of a project can have ${shownBytes(limit)} of artifacts in total (SVC_PROJECT_LIMITS), and ${explainOverLimit(leaving)}`
      : `the untrusted runs of a project can have ${shownBytes(limit)} of artifacts in total (SVC_UNTRUSTED_PROJECT_LIMITS), and ${explainOverLimit(leaving)}`,
    { data: { limit_bytes: limit, leaving_bytes: leaving } },
  );
