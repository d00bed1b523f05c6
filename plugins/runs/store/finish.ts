import { retryUnknownCommit, type Transaction } from '../../../kernel/contracts/index.ts';
import type { Masker } from '../../masking/contract.ts';
import type { ActivityEnd, CancelRun, ClaimRef, Completion, Run } from '../contract.ts';
import { runFinished } from '../errors.ts';
import { tail } from '../domain/tail.ts';
import { afterEnd, writeEnds } from './activities.ts';
import { hasEnded, holds, lockFence, lost } from './activity-rows.ts';
import { announce } from './announce.ts';
import { cancelOpen, lockOpen } from './cancel-open.ts';
import type { Completions } from './completions.ts';
import type { StoreParts } from './parts.ts';
import { readRun } from './reading.ts';
import type { LockedRun } from './run-columns.ts';
import { endRuns, finishRun, settleRun } from './run-end.ts';
import { isTerminal, lockRun, lockRunOf, lockRuns, mustChange } from './run-rows.ts';
import { type EndedWait, tellKinds } from './tell-kinds.ts';
import { countCalls, countKept } from './untrusted-runs.ts';

const OUTPUT_BYTES = 4 * 1024 * 1024;
/** Results of untrusted runs from this size on count. They have transactions of their own (`Completions`). */
export const COUNTED_BYTES = 1024;
/** Maximum length of an error or reason in the run record; lifecycle payloads hold less. */
const TEXT_POINTS = 64 * 1024;
const CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** claimed → done | failed, and the run with it when nothing else is open. Ends share transactions. */
export async function completeActivity(
  store: StoreParts,
  completions: Completions,
  claim: ClaimRef,
  given: Completion,
): Promise<void> {
  const owner = await store.owners.of(claim.activity_id);
  // Before the transaction: the values of this claim were stored when it was claimed, so all of them are known.
  const masker = await store.masks.of(owner);
  await completions.add({ ...owner, claim, completion: bounded(given, masker), masker });
}

/** An end that waits for its transaction. */
export interface Ending {
  claim: ClaimRef;
  completion: Completion;
  masker: Masker;
}

/** Ends claims of one run in one transaction. Answers for each why it could not end: its claim is lost. */
export async function endClaims(
  tx: Transaction,
  store: StoreParts,
  run_id: string,
  endings: readonly Ending[],
): Promise<(Error | undefined)[]> {
  const run = await lockRun(tx, run_id);
  const outcomes: (Error | undefined)[] = [];
  for (const { claim, completion, masker } of endings) {
    // One end may cancel the activities of others, so each is looked at in its turn.
    const fence = await lockFence(tx, claim.activity_id);
    const held = holds(fence, claim);
    if (held) await endClaim(tx, store, run, claim, { completion, masker });
    outcomes.push(held || hasEnded(fence, claim, completion) ? undefined : lost(claim));
  }
  return outcomes;
}

/** The same for a valid claim whose run and activity are locked. */
export async function endClaim(
  tx: Transaction,
  store: StoreParts,
  run: LockedRun,
  claim: ClaimRef,
  { completion: given, masker }: { completion: Completion; masker: Masker },
): Promise<void> {
  const { activity_id } = claim;
  const completion = await withinBounds(tx, store, run, given);
  const place = { org_id: run.org_id, project_id: run.project_id, run_id: run.run_id, activity_id };
  await writeEnds(tx, store, 'claimed', [{ place, completion }]);
  const [row] = await tx.read<Omit<ActivityEnd, 'result'>>(
    'SELECT activity_id, parent, name, executor FROM runs_activities WHERE activity_id = ?',
    [activity_id],
  );
  const end = { ...row!, result: completion };
  const waits = await afterEnd(tx, store, run, end);
  await settleRun(tx, store, run, { masker, waits, work: (coordinator, held) => coordinator.ended(tx, held, end) });
}

/**
 * Results count for an untrusted run, which may have many children. An output beyond its bound fails what has it; why something has
 * failed is kept.
 */
async function withinBounds(
  tx: Transaction,
  { limits }: Pick<StoreParts, 'limits'>,
  run: LockedRun,
  completion: Completion,
): Promise<Completion> {
  const bytes = resultBytes(completion);
  if (run.trusted === 1 || bytes < COUNTED_BYTES) return completion;
  if (completion.status === 'failed') {
    await countKept(tx, [{ run_id: run.run_id, bytes }]);
    return completion;
  }
  const beyond = await countCalls(tx, limits, run.run_id, [{ bytes }]);
  return beyond === undefined ? completion : { status: 'failed', code: beyond.code, message: beyond.message };
}

/** The bytes of a result: its output as JSON, or why it failed. */
export const resultBytes = (completion: Completion): number =>
  completion.status === 'succeeded' ? outputBytes(completion.output) : Buffer.byteLength(completion.message);

const outputBytes = (output: unknown): number => Buffer.byteLength(JSON.stringify(output ?? null));

/**
 * An output that is too large fails the run, because the agent could only send it again. A message is masked before it
 * is cut, because agents may be third-party programs.
 */
function bounded(completion: Completion, masker: Masker): Completion {
  if (completion.status === 'succeeded') {
    const bytes = outputBytes(completion.output);
    if (bytes <= OUTPUT_BYTES) return completion;
    const message = `the output has ${bytes} bytes of JSON; the limit is ${OUTPUT_BYTES}`;
    return { status: 'failed', code: 'payload_too_large', message };
  }
  const { code, message, exit_code, final, retry_after_ms } = completion;
  return {
    status: 'failed',
    final,
    retry_after_ms,
    code: CODE.test(code) ? code : 'failed',
    message: tail(masker.text(message), TEXT_POINTS),
    ...(Number.isSafeInteger(exit_code) ? { exit_code } : {}),
  };
}

/** Every open status → cancelled. A second cancel answers the first. Throws `run_finished` when it ended otherwise. */
export async function cancelRun(store: StoreParts, cancel: CancelRun): Promise<Run> {
  await store.sealer.prepare(cancel.org_id);
  await retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRunOf(tx, cancel);
      if (run.status === 'cancelled') return;
      if (isTerminal(run)) throw runFinished(`run ${run.run_id} has ${run.status} and cannot be cancelled`);
      const reason = tail(cancel.reason, TEXT_POINTS);
      const why = reason === '' ? 'the run was cancelled' : `the run was cancelled: ${tail(reason)}`;
      const waits = await cancelOpen(tx, store, { run_id: run.run_id, reason: why });
      await finishRun(tx, store, run, { status: 'cancelled', reason }, undefined);
      if (cancel.cancelled_by) await noteCanceller(tx, run, cancel.cancelled_by);
      // After the end was announced, because an announcement takes its locks first.
      await tellKinds(tx, store, waits);
      const { by, org_id, project_id } = cancel;
      if (by) await store.audit.record(tx, { ...by, org_id, project_id, action: 'run.cancel', subject: run.run_id });
      tx.afterCommit(() => store.wakeups.run(run.run_id, { project_id, part: 'run', over: true }));
    }),
  );
  return readRun(store.database, store.sealer, cancel, cancel.run_id);
}

/** A run that is cancelled because its caller no longer waits for it. */
export interface LeftRun {
  run_id: string;
  reason: string;
}

/**
 * Every open status → cancelled, for up to 128 runs of a project in one transaction, and `then` in it. Runs that are over, or
 * are gone, stay as they are. The org's keys must be ready.
 */
export async function cancelRuns(
  store: StoreParts,
  runs: readonly LeftRun[],
  then: (tx: Transaction) => Promise<void>,
): Promise<void> {
  await retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const ids = runs.map(({ run_id }) => run_id);
      const open = [...(await lockRuns(tx, ids)).values()].filter((run) => !isTerminal(run));
      await lockOpen(
        tx,
        open.map(({ run_id }) => run_id),
      );
      const reasons = new Map(runs.map(({ run_id, reason }) => [run_id, tail(reason, TEXT_POINTS)]));
      const waits: EndedWait[] = [];
      for (const { run_id } of open) {
        const reason = `the run was cancelled: ${tail(reasons.get(run_id)!)}`;
        waits.push(...(await cancelOpen(tx, store, { run_id, reason })));
      }
      const endings = open.map((run) => {
        const ending = { status: 'cancelled' as const, reason: reasons.get(run.run_id)! };
        return { run, ending, masker: undefined };
      });
      await announce(tx, store, await endRuns(tx, store, endings), store.database.now());
      // After the ends were announced, because an announcement takes its locks first.
      await tellKinds(tx, store, waits);
      await then(tx);
      tx.afterCommit(() => {
        for (const { run_id, project_id } of open) store.wakeups.run(run_id, { project_id, part: 'run', over: true });
      });
    }),
  );
}

/** The event that cancelled the run, for its record. */
async function noteCanceller(
  tx: Transaction,
  run: LockedRun,
  by: NonNullable<CancelRun['cancelled_by']>,
): Promise<void> {
  await mustChange(tx, 1, 'UPDATE runs_runs SET cancelled_by = ? WHERE run_id = ?', [JSON.stringify(by), run.run_id]);
}
