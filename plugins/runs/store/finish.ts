import { settled } from '../../../kernel/contracts/index.ts';
import type { Param, SealedPlace, Transaction } from '../../../kernel/contracts/index.ts';
import type { Masker } from '../../masking/contract.ts';
import type { CancelRun, ClaimRef, Completion, Json, Run, WaitRef } from '../contract.ts';
import { runFinished } from '../errors.ts';
import type { Ending } from '../domain/lifecycle.ts';
import { tail } from '../domain/tail.ts';
import { afterEnd } from './activities.ts';
import { heldLast, holds, lockFence, lost } from './activity-rows.ts';
import { announce } from './announce.ts';
import { runEnding } from './ending.ts';
import type { StoreParts } from './parts.ts';
import { readRun } from './reading.ts';
import { isTerminal, type LockedRun, lockRun, lockRunOf, mustChange, nextStatus, setStatus } from './run-rows.ts';
import { tellKinds } from './resolve.ts';
import { sealed } from './sealing.ts';

const OUTPUT_BYTES = 4 * 1024 * 1024;
/** What the run record keeps of an error or a reason; lifecycle payloads carry less. */
const TEXT_POINTS = 64 * 1024;
const CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** claimed → done | failed, and the run with it when nothing else is left to do. */
export async function completeActivity(store: StoreParts, claim: ClaimRef, given: Completion): Promise<void> {
  const place = await store.places.of(claim.activity_id);
  // Before the transaction: what ends here got its values with its claim, so they are all known by now.
  const masker = await store.masks.of(place);
  const completion = bounded(given, masker);
  await settled(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRun(tx, place.run_id);
      const fence = await lockFence(tx, claim.activity_id);
      if (!holds(fence, claim)) {
        const ended = completion.status === 'succeeded' ? 'done' : 'failed';
        if (heldLast(fence, claim) && fence.state === ended) return;
        throw lost(claim);
      }
      await endClaim(tx, store, run, claim, { completion, masker });
    }),
  );
}

/** The same for a claim that is known to stand, its run and its activity being locked. */
export async function endClaim(
  tx: Transaction,
  store: StoreParts,
  run: LockedRun,
  claim: ClaimRef,
  { completion, masker }: { completion: Completion; masker: Masker },
): Promise<void> {
  const now = store.database.now();
  await endActivity(tx, store, run, claim, completion, now);
  const waits = await afterEnd(tx, store, run, claim, completion);
  const status = await nextStatus(tx, run.run_id);
  if (status === undefined) await finishRun(tx, store, run, { ending: await runEnding(tx, store, run), masker }, now);
  else await setStatus(tx, run, status);
  await tellKinds(tx, store, waits);
  tx.afterCommit(() => store.wakeups.run(run.run_id));
}

/**
 * Too large an output is the run's failure and not the agent's: the agent could only send it again. A message is masked
 * before it is cut, for an agent may be of any making.
 */
function bounded(completion: Completion, masker: Masker): Completion {
  if (completion.status === 'succeeded') {
    const bytes = Buffer.byteLength(JSON.stringify(completion.output ?? null));
    if (bytes <= OUTPUT_BYTES) return completion;
    const message = `the output has ${bytes} bytes of JSON; at most ${OUTPUT_BYTES} are kept`;
    return { status: 'failed', code: 'payload_too_large', message };
  }
  const { code, message, exit_code } = completion;
  return {
    status: 'failed',
    code: CODE.test(code) ? code : 'failed',
    message: tail(masker.text(message), TEXT_POINTS),
    ...(Number.isSafeInteger(exit_code) ? { exit_code } : {}),
  };
}

async function endActivity(
  tx: Transaction,
  store: StoreParts,
  run: LockedRun,
  claim: ClaimRef,
  completion: Completion,
  now: number,
): Promise<void> {
  const params: Param[] =
    completion.status === 'succeeded'
      ? ['done', sealJson(store, sealed.activityOutput(run, claim.activity_id), completion.output), null, null, 0]
      : ['failed', null, completion.code, completion.message, completion.exit_code ?? null];
  await mustChange(
    tx,
    1,
    `UPDATE runs_activities SET state = ?, output = ?, error_code = ?, error_message = ?, exit_code = ?,
     deadline = NULL, agent_id = NULL, finished_at = ? WHERE activity_id = ? AND state = 'claimed' AND epoch = ?`,
    [...params, now, claim.activity_id, claim.epoch],
  );
}

function sealJson(store: StoreParts, place: SealedPlace, value: Json): Buffer {
  return store.sealer.seal(place, Buffer.from(JSON.stringify(value ?? null)));
}

/** Any open status → the ending, with everything of the run that is still open. Its row must be locked. */
async function finishRun(
  tx: Transaction,
  store: StoreParts,
  run: LockedRun,
  { ending, masker }: { ending: Ending; masker?: Masker },
  now: number,
): Promise<void> {
  const output =
    ending.status === 'succeeded' ? sealJson(store, sealed.runOutput(run, run.run_id), ending.output) : null;
  const failed = ending.status === 'failed' ? ending : undefined;
  await mustChange(
    tx,
    1,
    `UPDATE runs_runs SET status = ?, finished_at = ?, output = ?, error_code = ?, error_message = ?, cancel_reason = ?
     WHERE run_id = ? AND status = ?`,
    [
      ending.status,
      now,
      output,
      failed?.code ?? null,
      failed?.message ?? null,
      ending.status === 'cancelled' ? ending.reason : null,
      run.run_id,
      run.status,
    ],
  );
  await announce(tx, store, [run], masker ? maskedEnding(ending, masker) : ending, now);
}

/** What is announced goes to whoever listens; the record keeps the output as it is. */
function maskedEnding(ending: Ending, masker: Masker): Ending {
  if (ending.status === 'succeeded') return { ...ending, output: masker.json(ending.output) };
  return ending.status === 'failed' ? { ...ending, message: masker.text(ending.message) } : ending;
}

/** Every open status → cancelled; a second cancel answers the first. Throws `run_finished` when it ended otherwise. */
export async function cancelRun(store: StoreParts, cancel: CancelRun): Promise<Run> {
  await store.sealer.prepare(cancel.org_id);
  await settled(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRunOf(tx, cancel);
      if (run.status === 'cancelled') return;
      if (isTerminal(run)) throw runFinished(`run ${run.run_id} has ${run.status} and cannot be cancelled`);
      const reason = tail(cancel.reason, TEXT_POINTS);
      const now = store.database.now();
      const waits = await cancelActivities(tx, store, run, reason, now);
      await finishRun(tx, store, run, { ending: { status: 'cancelled', reason } }, now);
      if (cancel.cancelled_by) await noteCanceller(tx, run, cancel.cancelled_by);
      // After the end was announced: what waits registered lies behind the locks that an announcement takes.
      await tellKinds(tx, store, waits);
      const { by, org_id, project_id } = cancel;
      if (by) await store.audit.record(tx, { ...by, org_id, project_id, action: 'run.cancel', subject: run.run_id });
      tx.afterCommit(() => store.wakeups.run(run.run_id));
    }),
  );
  return readRun(store.database, store.sealer, cancel, cancel.run_id);
}

async function cancelActivities(
  tx: Transaction,
  store: StoreParts,
  run: LockedRun,
  reason: string,
  now: number,
): Promise<(WaitRef & { kind: string })[]> {
  const claims = await tx.read<ClaimRef & { agent_id: string }>(
    `SELECT activity_id, epoch, agent_id FROM runs_activities WHERE run_id = ? AND state = 'claimed'
     ORDER BY activity_id ${tx.sql.for_update}`,
    [run.run_id],
  );
  await tx.write(
    `UPDATE runs_activities SET state = 'cancelled', deadline = NULL, agent_id = NULL, finished_at = ?
     WHERE run_id = ? AND state IN ('pending', 'claimed', 'parked')`,
    [now, run.run_id],
  );
  const waits = await tx.read<WaitRef & { kind: string }>(
    `SELECT run_id, activity_id, position, kind FROM runs_waits WHERE run_id = ? AND state = 'armed'`,
    [run.run_id],
  );
  await tx.write(`UPDATE runs_waits SET state = 'cancelled', ended_at = ? WHERE run_id = ? AND state = 'armed'`, [
    now,
    run.run_id,
  ]);
  const why = reason === '' ? 'the run was cancelled' : `the run was cancelled: ${tail(reason)}`;
  tx.afterCommit(() => {
    for (const claim of claims) store.wakeups.revoked({ ...claim, reason: why });
  });
  return waits;
}

/** The event that cancelled the run, for its record. */
async function noteCanceller(
  tx: Transaction,
  run: LockedRun,
  by: NonNullable<CancelRun['cancelled_by']>,
): Promise<void> {
  await mustChange(tx, 1, 'UPDATE runs_runs SET cancelled_by = ? WHERE run_id = ?', [JSON.stringify(by), run.run_id]);
}
