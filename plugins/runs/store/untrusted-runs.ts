import {
  chunks,
  inList,
  insertRows,
  type Queries,
  type ServiceError,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { type Json, type RunLimits, shownBytes, type WaitOutcome } from '../contract.ts';
import { takeForCalls } from './call-usage.ts';
import { runStorageLimit, untrustedRunLimit } from '../errors.ts';
import type { LockedRun, Submission } from './run-columns.ts';

/** Of a project, up to `most`: the database counts, and looks no further. */
async function countUntrusted(on: Pick<Queries, 'read'>, project_id: string, most: number): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM runs_untrusted WHERE project_id = ? LIMIT ${Math.trunc(most)}) counted`,
    [project_id],
  );
  return Number(row!.n);
}

/**
 * Why untrusted runs that other runs start may not be made: their project has too many. What comes from outside is always
 * taken, and counts. Servers that make runs at the same moment may pass the bound by as many.
 */
export async function refuseBeyond(
  tx: Transaction,
  { project: { untrusted: bounds } }: RunLimits,
  submissions: readonly Submission[],
): Promise<Map<Submission, Error>> {
  const refused = new Map<Submission, Error>();
  const started = submissions.filter(({ run, trusted }) => !trusted && run.parent !== undefined);
  if (started.length === 0 || bounds.runs === Infinity) return refused;
  for (const [project_id, same] of Map.groupBy(started, ({ run }) => run.project_id)) {
    const open = await countUntrusted(tx, project_id, bounds.runs);
    for (const submission of same.slice(Math.max(0, bounds.runs - open))) refused.set(submission, tooMany(bounds.runs));
  }
  return refused;
}

/** The same for a run that is not planned yet. */
export async function untrustedRefusal(
  on: Pick<Queries, 'read'>,
  { project: { untrusted: bounds } }: RunLimits,
  { project_id }: { project_id: string },
): Promise<ServiceError | undefined> {
  if (bounds.runs === Infinity) return undefined;
  return (await countUntrusted(on, project_id, bounds.runs)) < bounds.runs ? undefined : tooMany(bounds.runs);
}

const tooMany = (runs: number) =>
  untrustedRunLimit(
    `the project has ${runs} untrusted runs that are not over, as many as it may have (SVC_UNTRUSTED_PROJECT_LIMITS)`,
  );

export async function noteUntrusted(tx: Transaction, made: readonly Submission[]): Promise<void> {
  const rows = made.flatMap(({ run, trusted }) => (trusted ? [] : [[run.run_id, run.project_id, 0]]));
  // Nothing is free: a stranger's runs may be any number.
  await insertRows(tx, 'INSERT INTO runs_untrusted', ['run_id', 'project_id', 'granted'], rows);
}

/** Of runs that are over. */
export async function forgetUntrusted(
  tx: Transaction,
  runs: readonly Pick<LockedRun, 'run_id' | 'trusted'>[],
): Promise<void> {
  const ids = runs.flatMap(({ run_id, trusted }) => (trusted === 1 ? [] : [run_id]));
  for (const some of chunks(ids)) {
    const list = inList(some);
    await tx.write(`DELETE FROM runs_untrusted WHERE run_id IN ${list.marks}`, list.params);
  }
}

/** What a call counts for beside what it is given and prints: its rows. */
const CALL_BYTES = 256;

/**
 * Counts what a call of an untrusted run brings or prints, for the run and for its project, and answers why it may not. Locks the
 * run's row of `runs_untrusted`, which comes after those of runs and activities; now and then the project's comes after it.
 */
export async function countCalls(
  tx: Transaction,
  { run: { untrusted: bounds }, project: { untrusted: shared } }: RunLimits,
  run_id: string,
  calls: readonly { bytes: number }[],
): Promise<ServiceError | undefined> {
  const bytes = calls.reduce((sum, call) => sum + call.bytes + CALL_BYTES, 0);
  const most = Math.min(bounds.calls, Number.MAX_SAFE_INTEGER) - bytes;
  const within = await tx.write(
    'UPDATE runs_untrusted SET bytes = bytes + ? WHERE run_id = ? AND bytes <= ? AND bytes + ? <= granted',
    [bytes, run_id, most, bytes],
  );
  if (within > 0) return undefined;
  const used = await lockBytes(tx, run_id);
  // A server of an earlier version makes no rows.
  if (used === undefined) return undefined;
  if (used.bytes > most)
    return runStorageLimit(
      `the calls of an untrusted run may bring and print ${shownBytes(bounds.calls)} together (SVC_UNTRUSTED_RUN_LIMITS), and this would be more`,
    );
  const least = used.bytes + bytes - used.granted;
  const taken = await takeForCalls(tx, { run_id, ...used }, least, shared.calls);
  if (taken === 0)
    return runStorageLimit(
      `the calls of the untrusted runs of a project may bring and print ${shownBytes(shared.calls)} together (SVC_UNTRUSTED_PROJECT_LIMITS), and this would be more`,
    );
  await tx.write('UPDATE runs_untrusted SET bytes = bytes + ?, granted = granted + ? WHERE run_id = ?', [
    ...[bytes, taken, run_id],
  ]);
  return undefined;
}

interface UsedBytes {
  project_id: string;
  bytes: number;
  granted: number;
}

/** Two calls of one run must not take for each other. */
async function lockBytes(tx: Transaction, run_id: string): Promise<UsedBytes | undefined> {
  await tx.write('UPDATE runs_untrusted SET bytes = bytes WHERE run_id = ?', [run_id]);
  const [row] = await tx.read<UsedBytes>('SELECT project_id, bytes, granted FROM runs_untrusted WHERE run_id = ?', [
    run_id,
  ]);
  return row && { ...row, bytes: Number(row.bytes), granted: Number(row.granted) };
}

interface Printed {
  run_id: string;
  outcome: WaitOutcome;
}

/**
 * Counts what has ended waits of untrusted runs, and what their calls print that the server performs: a script may read one value
 * of its state any number of times. It is never refused, but what the run does next may be. The call itself was counted with its
 * rows, and an outcome of less is among them.
 */
export const countOutcomes = (tx: Transaction, outcomes: readonly Printed[]): Promise<void> =>
  countKept(
    tx,
    outcomes
      .map(({ run_id, outcome: { output, message = '' } }) => ({
        run_id,
        bytes: output.length + Buffer.byteLength(message),
      }))
      .filter(({ bytes }) => bytes > CALL_BYTES),
  );

/** Counts what untrusted runs keep in any case. */
export async function countKept(tx: Transaction, kept: readonly { run_id: string; bytes: number }[]): Promise<void> {
  for (const { run_id, bytes } of kept.toSorted((a, b) => (a.run_id < b.run_id ? -1 : 1))) {
    const counted = await tx.write('UPDATE runs_untrusted SET bytes = bytes + ? WHERE run_id = ?', [bytes, run_id]);
    const used = counted === 0 ? undefined : await lockBytes(tx, run_id);
    if (used === undefined || used.bytes <= used.granted) continue;
    const taken = await takeForCalls(tx, { run_id, ...used }, used.bytes - used.granted, Infinity);
    await tx.write('UPDATE runs_untrusted SET granted = granted + ? WHERE run_id = ?', [taken, run_id]);
  }
}

interface Named {
  name: string;
  label?: string | null | undefined;
}

const bytesOfNames = ({ name, label }: Named): number => Buffer.byteLength(name) + Buffer.byteLength(label ?? '');

/** The bytes that a record or a failed attempt keeps. */
export const bytesOfRecord = (record: Named & { output: string; message?: string | undefined }): number =>
  bytesOfNames(record) + Buffer.byteLength(record.output, 'base64') + Buffer.byteLength(record.message ?? '');

/** The bytes that a call brings. */
export const bytesOfCall = (call: Named & { args: Json }): number =>
  bytesOfNames(call) + Buffer.byteLength(JSON.stringify(call.args) ?? '');

/** What a run counts for that an untrusted one starts: its rows, and the events that announce it. */
const RUN_BYTES = 8 * 1024;

/** Counts runs that an untrusted run starts, and deliveries that start none, and answers why it may not. */
export const countStarted = (
  tx: Transaction,
  limits: RunLimits,
  run_id: string,
  runs: number,
  deliveries = 0,
): Promise<ServiceError | undefined> =>
  countCalls(tx, limits, run_id, [{ bytes: runs * RUN_BYTES + deliveries * CALL_BYTES }]);

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
  // A server of an earlier version makes no rows.
  const rows = await tx.read('SELECT 1 AS one FROM runs_untrusted WHERE run_id = ?', [run_id]);
  if (rows.length === 0) return;
  throw runStorageLimit(
    `an untrusted run may have ${bounds.children} children and called runs (SVC_UNTRUSTED_RUN_LIMITS)`,
  );
}
