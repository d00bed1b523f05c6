import {
  chunks,
  inList,
  insertRows,
  type Queries,
  type ServiceError,
  type Transaction,
} from '../../../../../kernel/contracts/index.ts';
import { type Json, type RunLimits, shownBytes, type WaitOutcome, type CallContext, ofTrust } from '../../contract.ts';
import { runStorageLimit, untrustedRunLimit, spawnLimit } from '../../errors.ts';
import { type LockedRun, type Submission, RUN } from './runs.ts';

/** Counts the open untrusted runs of a project up to `most`; the database reads no further. */
async function countUntrusted(on: Pick<Queries, 'read'>, project_id: string, most: number): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM runs_untrusted WHERE project_id = ? LIMIT ${Math.trunc(most)}) counted`,
    [project_id],
  );
  return Number(row!.n);
}

/**
 * Rejects untrusted runs that other runs start while their project has too many. Runs from outside are always accepted, and
 * count. Servers that create runs at the same moment may exceed the limit by as many.
 */
export async function rejectBeyondLimit(
  tx: Transaction,
  { project: { untrusted: bounds } }: RunLimits,
  submissions: readonly Submission[],
): Promise<Map<Submission, Error>> {
  const refused = new Map<Submission, Error>();
  const started = submissions.filter(({ run, trusted }) => !trusted && run.parent !== undefined);
  if (started.length === 0 || bounds.runs === Infinity) return refused;
  for (const [project_id, same] of Map.groupBy(started, ({ run }) => run.project_id)) {
    const open = await countUntrusted(tx, project_id, bounds.runs);
    for (const submission of same.slice(Math.max(0, bounds.runs - open)))
      refused.set(submission, tooManyRuns(bounds.runs));
  }
  return refused;
}

/** The same for a run that is not planned yet: answers the error. */
export async function untrustedRejection(
  on: Pick<Queries, 'read'>,
  { project: { untrusted: bounds } }: RunLimits,
  { project_id }: { project_id: string },
): Promise<ServiceError | undefined> {
  if (bounds.runs === Infinity) return undefined;
  return (await countUntrusted(on, project_id, bounds.runs)) < bounds.runs ? undefined : tooManyRuns(bounds.runs);
}

const tooManyRuns = (runs: number) =>
  untrustedRunLimit(`the project has ${runs} open untrusted runs, which is the limit (SVC_UNTRUSTED_PROJECT_LIMITS)`);

export async function insertUntrusted(tx: Transaction, made: readonly Submission[]): Promise<void> {
  const rows = made.flatMap(({ run, trusted }) => (trusted ? [] : [[run.run_id, run.project_id, 0]]));
  // Nothing is granted for free, because a stranger may start any number of runs.
  await insertRows(tx, 'INSERT INTO runs_untrusted', ['run_id', 'project_id', 'granted'], rows);
}

/**
 * Deletes the rows of untrusted runs that have ended. What they were granted and did not use is returned to their project: small
 * runs, of which strangers may make any number, would use it up otherwise.
 */
export async function deleteUntrusted(
  tx: Transaction,
  runs: readonly Pick<LockedRun, 'run_id' | 'trusted'>[],
): Promise<void> {
  const ids = runs.flatMap(({ run_id, trusted }) => (trusted === 1 ? [] : [run_id]));
  for (const some of chunks(ids)) {
    const list = inList(some);
    await returnUnusedLogBytes(tx, some);
    await tx.write(`UPDATE runs_untrusted SET bytes = bytes WHERE run_id IN ${list.placeholders}`, list.params);
    const used = await tx.read<UsedBytes & { run_id: string }>(
      `SELECT run_id, project_id, bytes, granted FROM runs_untrusted WHERE run_id IN ${list.placeholders} ORDER BY run_id`,
      list.params,
    );
    await tx.write(`DELETE FROM runs_untrusted WHERE run_id IN ${list.placeholders}`, list.params);
    await returnUnusedCallBytes(
      tx,
      used.map(({ run_id, project_id, bytes, granted }) => ({
        run_id,
        project_id,
        unused: Number(granted) - Number(bytes),
      })),
    );
  }
}

/** What the rows of a call count for, beside its arguments and outputs. */
const CALL_ROW_BYTES = 256;

/**
 * Counts the bytes of calls of an untrusted run against the quotas of the run and its project. Answers an error when they exceed
 * one. Locks the run's row of `runs_untrusted` after those of runs and activities, and sometimes the project's after it.
 */
export async function countCalls(
  tx: Transaction,
  { run: { untrusted: bounds }, project: { untrusted: shared } }: RunLimits,
  run_id: string,
  calls: readonly { bytes: number }[],
): Promise<ServiceError | undefined> {
  const bytes = calls.reduce((sum, call) => sum + call.bytes + CALL_ROW_BYTES, 0);
  const most = Math.min(bounds.calls, Number.MAX_SAFE_INTEGER) - bytes;
  const within = await tx.write(
    'UPDATE runs_untrusted SET bytes = bytes + ? WHERE run_id = ? AND bytes <= ? AND bytes + ? <= granted',
    [bytes, run_id, most, bytes],
  );
  if (within > 0) return undefined;
  const used = await lockUsage(tx, run_id);
  // Servers of an earlier version insert no rows.
  if (used === undefined) return undefined;
  if (used.bytes > most)
    return runStorageLimit(
      `the calls of an untrusted run can store ${shownBytes(bounds.calls)} of arguments and output in total (SVC_UNTRUSTED_RUN_LIMITS), and this call would exceed that`,
    );
  const least = used.bytes + bytes - used.granted;
  const taken = await grantCallBytes(tx, { run_id, ...used }, least, shared.calls);
  if (taken === 0)
    return runStorageLimit(
      `the calls of a project's untrusted runs can store ${shownBytes(shared.calls)} of arguments and output in total (SVC_UNTRUSTED_PROJECT_LIMITS), and this call would exceed that; runs that SVC_RETENTION removes no longer count`,
    );
  await tx.write('UPDATE runs_untrusted SET bytes = bytes + ?, granted = granted + ? WHERE run_id = ?', [
    bytes,
    taken,
    run_id,
  ]);
  return undefined;
}

interface UsedBytes {
  project_id: string;
  bytes: number;
  granted: number;
}

/** Locks the usage of a run, so that two of its calls are not granted the same bytes. */
async function lockUsage(tx: Transaction, run_id: string): Promise<UsedBytes | undefined> {
  await tx.write('UPDATE runs_untrusted SET bytes = bytes WHERE run_id = ?', [run_id]);
  const [row] = await tx.read<UsedBytes>('SELECT project_id, bytes, granted FROM runs_untrusted WHERE run_id = ?', [
    run_id,
  ]);
  return row && { ...row, bytes: Number(row.bytes), granted: Number(row.granted) };
}

interface CallOutcome {
  run_id: string;
  outcome: WaitOutcome;
}

/**
 * Counts the outcomes of waits of untrusted runs, and of calls that the server performs: a script may read one value of its
 * state any number of times. An outcome is never rejected, but the next call of the run may be. An outcome no larger than its
 * rows was counted with the call.
 */
export const countOutcomes = (tx: Transaction, outcomes: readonly CallOutcome[]): Promise<void> =>
  countStored(
    tx,
    outcomes
      .map(({ run_id, outcome: { output, message = '' } }) => ({
        run_id,
        bytes: output.length + Buffer.byteLength(message),
      }))
      .filter(({ bytes }) => bytes > CALL_ROW_BYTES),
  );

/** Counts bytes of untrusted runs that are stored in any case. */
export async function countStored(
  tx: Transaction,
  stored: readonly { run_id: string; bytes: number }[],
): Promise<void> {
  for (const { run_id, bytes } of stored.toSorted((a, b) => (a.run_id < b.run_id ? -1 : 1))) {
    const counted = await tx.write('UPDATE runs_untrusted SET bytes = bytes + ? WHERE run_id = ?', [bytes, run_id]);
    const used = counted === 0 ? undefined : await lockUsage(tx, run_id);
    if (used === undefined || used.bytes <= used.granted) continue;
    const taken = await grantCallBytes(tx, { run_id, ...used }, used.bytes - used.granted, Infinity);
    await tx.write('UPDATE runs_untrusted SET granted = granted + ? WHERE run_id = ?', [taken, run_id]);
  }
}

interface NamedCall {
  name: string;
  label?: string | null | undefined;
}

const nameBytes = ({ name, label }: NamedCall): number => Buffer.byteLength(name) + Buffer.byteLength(label ?? '');

/** The bytes of a record or a failed attempt. */
export const recordBytes = (record: NamedCall & { output: string; message?: string | undefined }): number =>
  nameBytes(record) + Buffer.byteLength(record.output, 'base64') + Buffer.byteLength(record.message ?? '');

/** The bytes of a call. */
export const callBytes = (call: NamedCall & { args: Json }): number =>
  nameBytes(call) + Buffer.byteLength(JSON.stringify(call.args) ?? '');

/** What a run that an untrusted one starts counts for: its rows, and the events that announce it. */
const RUN_BYTES = 8 * 1024;

/** Counts runs that an untrusted run starts, and deliveries that start none. Answers an error when they exceed a quota. */
export const countStarted = (
  tx: Transaction,
  limits: RunLimits,
  run_id: string,
  runs: number,
  deliveries = 0,
): Promise<ServiceError | undefined> =>
  countCalls(tx, limits, run_id, [{ bytes: runs * RUN_BYTES + deliveries * CALL_ROW_BYTES }]);

/** Counts children that are added to an untrusted run, or runs that it calls. Throws `run_storage_limit`. */
export async function countChildren(
  tx: Transaction,
  { run: { untrusted: bounds } }: RunLimits,
  run_id: string,
  children: number,
): Promise<void> {
  const most = Math.min(bounds.children, Number.MAX_SAFE_INTEGER) - children;
  const counted = await tx.write(
    'UPDATE runs_untrusted SET children = children + ? WHERE run_id = ? AND children <= ?',
    [children, run_id, most],
  );
  if (counted > 0) return;
  // Servers of an earlier version insert no rows.
  const rows = await tx.read('SELECT 1 AS one FROM runs_untrusted WHERE run_id = ?', [run_id]);
  if (rows.length === 0) return;
  throw runStorageLimit(
    `an untrusted run can have up to ${bounds.children} children and called runs (SVC_UNTRUSTED_RUN_LIMITS)`,
  );
}

/**
 * How many bytes of its project's quota a run is granted at once. In between, the grant doubles what the run has: so few calls
 * write a row that others write too, and small runs, of which there are most, reserve little that they do not use.
 */
export const CALL_GRANT_BYTES = { least: 16 * 1024, most: 1024 * 1024 };

/** The grant for so many bytes more, in whole steps. */
export function grantFor(needed: number, granted: number): number {
  const step = Math.min(Math.max(granted, CALL_GRANT_BYTES.least), CALL_GRANT_BYTES.most);
  return Math.ceil(needed / step) * step;
}

interface GrantOwner {
  run_id: string;
  project_id: string;
}

/**
 * Grants a run at least so many bytes of its project's quota for calls of untrusted runs, and more if they are left. Answers how
 * many: 0 when too few are left.
 */
export async function grantCallBytes(
  tx: Transaction,
  { granted, ...place }: GrantOwner & { granted: number },
  least: number,
  most: number,
): Promise<number> {
  const bound = Math.min(most, Number.MAX_SAFE_INTEGER);
  for (const bytes of [grantFor(least, granted), least])
    if (await takeCallBytes(tx, place.project_id, bytes, bound)) {
      await recordGrant(tx, place, bytes);
      return bytes;
    }
  return 0;
}

async function takeCallBytes(tx: Transaction, project_id: string, bytes: number, most: number): Promise<boolean> {
  if (bytes > most) return false;
  const add = () =>
    tx.write('UPDATE runs_call_usage SET bytes = bytes + ? WHERE project_id = ? AND bytes <= ?', [
      bytes,
      project_id,
      most - bytes,
    ]);
  if ((await add()) === 1) return true;
  const first = await tx.write(`${tx.sql.insert_ignore} runs_call_usage (project_id, bytes) VALUES (?, 0)`, [
    project_id,
  ]);
  return first === 1 && (await add()) === 1;
}

/** The locked row of `runs_untrusted` keeps everybody else from writing this one. */
async function recordGrant(tx: Transaction, { run_id, project_id }: GrantOwner, bytes: number): Promise<void> {
  const more = await tx.write('UPDATE runs_call_grants SET bytes = bytes + ? WHERE run_id = ?', [bytes, run_id]);
  if (more === 1) return;
  await tx.write('INSERT INTO runs_call_grants (run_id, project_id, bytes) VALUES (?, ?, ?)', [
    run_id,
    project_id,
    bytes,
  ]);
}

/** Returns what runs that have ended were granted and did not use. Servers of an earlier version let them have some without a grant. */
async function returnUnusedCallBytes(
  tx: Transaction,
  runs: readonly (GrantOwner & { unused: number })[],
): Promise<void> {
  const given = new Map<string, number>();
  for (const { run_id, project_id, unused } of runs) {
    if (unused <= 0) continue;
    const had = await tx.write('UPDATE runs_call_grants SET bytes = bytes - ? WHERE run_id = ? AND bytes >= ?', [
      unused,
      run_id,
      unused,
    ]);
    if (had === 1) given.set(project_id, (given.get(project_id) ?? 0) + unused);
  }
  await returnCallBytes(tx, given);
}

/** Writes each project once, in the same order in every transaction. */
async function returnCallBytes(tx: Transaction, given: ReadonlyMap<string, number>): Promise<void> {
  for (const [project_id, bytes] of [...given].sort(([a], [b]) => (a < b ? -1 : 1)))
    await tx.write('UPDATE runs_call_usage SET bytes = bytes - ? WHERE project_id = ?', [bytes, project_id]);
}

/** Returns the grants of runs that are removed to their projects. Answers how many rows it has deleted. */
export async function returnCallGrants(tx: Transaction, run_ids: readonly string[]): Promise<number> {
  const list = inList(run_ids);
  const grants = await tx.read<GrantOwner & { bytes: number }>(
    `SELECT run_id, project_id, bytes FROM runs_call_grants WHERE run_id IN ${list.placeholders}`,
    list.params,
  );
  const given = new Map<string, number>();
  // Another server may remove the same runs.
  for (const { run_id, project_id, bytes } of grants)
    if ((await tx.write('DELETE FROM runs_call_grants WHERE run_id = ?', [run_id])) === 1)
      given.set(project_id, (given.get(project_id) ?? 0) + Number(bytes));
  await returnCallBytes(tx, given);
  return grants.length;
}

export interface LogScope {
  project_id: string;
  untrusted: boolean;
}

/**
 * How many bytes of a log are not counted against the quota of its project. Most logs of trusted runs are smaller, and write no
 * row that others write too. Those of untrusted runs count from the first byte, because a stranger may start any number.
 */
export const UNCOUNTED_LOG_BYTES = { trusted: 64 * 1024, untrusted: 0 };
/** How many bytes of its project's quota a log of a trusted run is granted at once. */
const LOG_GRANT_BYTES = 1024 * 1024;

/**
 * Grants a log at least so many bytes of its project's quota for logs, and more if they are left. Answers how many: 0 when too
 * few are left.
 */
export async function grantLogBytes(
  tx: Transaction,
  { granted, ...place }: LogScope & { granted: number },
  least: number,
  most_of_project: number,
): Promise<number> {
  const wanted = place.untrusted ? grantFor(least, granted) : Math.ceil(least / LOG_GRANT_BYTES) * LOG_GRANT_BYTES;
  for (const bytes of [wanted, least])
    if (await takeLogBytes(tx, place, bytes, Math.min(most_of_project, Number.MAX_SAFE_INTEGER))) return bytes;
  return 0;
}

async function takeLogBytes(
  tx: Transaction,
  { project_id, untrusted }: LogScope,
  bytes: number,
  most: number,
): Promise<boolean> {
  if (bytes > most) return false;
  const flag = untrusted ? 1 : 0;
  const add = () =>
    tx.write('UPDATE runs_log_usage SET bytes = bytes + ? WHERE project_id = ? AND untrusted = ? AND bytes <= ?', [
      bytes,
      project_id,
      flag,
      most - bytes,
    ]);
  if ((await add()) === 1) return true;
  const first = await tx.write(
    `${tx.sql.insert_ignore} runs_log_usage (project_id, untrusted, bytes) VALUES (?, ?, 0)`,
    [project_id, flag],
  );
  return first === 1 && (await add()) === 1;
}

interface LogGrant {
  run_id: string;
  project_id: string | null;
  untrusted: number;
  granted: number;
}

/** Returns what the logs of untrusted runs that have ended, at most 128, were granted and did not use. */
async function returnUnusedLogBytes(tx: Transaction, run_ids: readonly string[]): Promise<void> {
  const list = inList(run_ids);
  const heads = await tx.lock<LogGrant & { bytes: number }>({
    table: 'runs_log_heads',
    key: ['run_id'],
    columns: 'run_id, project_id, untrusted, granted, bytes',
    where: `run_id IN ${list.placeholders} AND untrusted = 1 AND granted > bytes`,
    params: list.params,
  });
  for (const { run_id } of heads)
    await tx.write('UPDATE runs_log_heads SET granted = bytes WHERE run_id = ?', [run_id]);
  await returnLogBytes(
    tx,
    heads.map(({ bytes, ...head }) => ({ ...head, granted: head.granted - bytes })),
  );
  tx.skipConflictGuard(
    'runs_log_heads',
    heads.map(({ run_id }) => [run_id]),
  );
}

/** Removes the heads of logs whose chunks are deleted, and returns their grants. Answers how many. */
export async function removeLogHeads(tx: Transaction, run_ids: readonly string[]): Promise<number> {
  const list = inList(run_ids);
  const heads = await tx.lock<LogGrant>({
    table: 'runs_log_heads',
    key: ['run_id'],
    columns: 'run_id, project_id, untrusted, granted',
    where: `run_id IN ${list.placeholders}`,
    params: list.params,
  });
  if (heads.length === 0) return 0;
  await returnLogBytes(tx, heads);
  await tx.write(`DELETE FROM runs_log_heads WHERE run_id IN ${list.placeholders}`, list.params);
  tx.skipConflictGuard(
    'runs_log_heads',
    heads.map(({ run_id }) => [run_id]),
  );
  return heads.length;
}

/** Writes each project once, in the same order in every transaction. */
async function returnLogBytes(tx: Transaction, heads: readonly Omit<LogGrant, 'run_id'>[]): Promise<void> {
  const given = Map.groupBy(
    heads.filter(({ granted }) => granted > 0),
    ({ project_id, untrusted }) => `${untrusted} ${project_id}`,
  );
  for (const [, same] of [...given].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { project_id, untrusted } = same[0]!;
    const bytes = same.reduce((sum, { granted }) => sum + granted, 0);
    await tx.write('UPDATE runs_log_usage SET bytes = bytes - ? WHERE project_id = ? AND untrusted = ?', [
      bytes,
      project_id,
      untrusted,
    ]);
  }
}

/** Counts one more run that a run spawns. The run's row must be locked. Throws `spawn_limit`. */
export async function countSpawn(
  tx: Transaction,
  { run_id, trusted }: Pick<CallContext, 'run_id' | 'trusted'>,
  limits: RunLimits,
): Promise<void> {
  const { spawns } = ofTrust(limits.run, trusted);
  const counted = await tx.write('UPDATE runs_runs SET spawned = spawned + 1 WHERE run_id = ? AND spawned < ?', [
    run_id,
    Math.min(spawns, Number.MAX_SAFE_INTEGER),
  ]);
  if (counted === 0)
    throw spawnLimit(
      trusted
        ? `the run has spawned ${spawns} runs, which is the limit for a run (SVC_RUN_LIMITS)`
        : `the run has spawned ${spawns} runs, which is the limit for an untrusted run (SVC_UNTRUSTED_RUN_LIMITS)`,
    );
  tx.skipConflictGuard(RUN.table, [[run_id]]);
}
