import {
  failpoint,
  insertRows,
  type Queries,
  retryUnknownCommit,
  type Transaction,
} from '../../../../../kernel/contracts/index.ts';
import { type ClaimRef, PAUSED_DUE, type PauseRun, type ResumeRun, type Run, type RunPause } from '../../contract.ts';
import { runFinished } from '../../errors.ts';
import { readRun } from '../read/reading.ts';
import { ACTIVITY } from '../rows/activities.ts';
import type { StoreContext } from '../rows/context.ts';
import {
  isPaused,
  isTerminal,
  LOCKED_COLUMNS,
  type LockedRun,
  lockRunOf,
  lockRuns,
  RUN,
  writeExactly,
} from '../rows/runs.ts';
import { parseJson } from '../rows/sealing.ts';

/**
 * Pauses an open run: nothing of it is claimed any more, and agents that work on it stop at their next call. A run that is paused
 * already keeps its first pause. Throws `run_finished`.
 */
export async function pauseRun(store: StoreContext, pause: PauseRun): Promise<Run> {
  await retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRunOf(tx, pause);
      if (isTerminal(run)) throw runFinished(`run ${run.run_id} has ended (${run.status}) and cannot be paused`);
      if (isPaused(run)) return;
      const { name: by, reason, requester, org_id, project_id } = pause;
      await pauseLocked(tx, store, run, { by, reason });
      if (requester)
        await store.audit.record(tx, { ...requester, org_id, project_id, action: 'run.pause', subject: run.run_id });
    }),
  );
  return readRun(store.database, store.sealer, pause, pause.run_id);
}

/** Resumes a paused run. Does nothing for one that is not paused. Throws `run_finished`. */
export async function resumeRun(store: StoreContext, resume: ResumeRun): Promise<Run> {
  await store.sealer.prepare(resume.org_id);
  await retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRunOf(tx, resume);
      if (isTerminal(run)) throw runFinished(`run ${run.run_id} has ended (${run.status}) and cannot be resumed`);
      if (!isPaused(run)) return;
      const { requester, org_id, project_id } = resume;
      await resumeLocked(tx, store, run);
      if (requester)
        await store.audit.record(tx, { ...requester, org_id, project_id, action: 'run.resume', subject: run.run_id });
    }),
  );
  return readRun(store.database, store.sealer, resume, resume.run_id);
}

type ClaimedRow = ClaimRef & { agent_id: string | null; state: string };

/** The run's row must be locked, and the run open and not paused. */
async function pauseLocked(tx: Transaction, store: StoreContext, run: LockedRun, pause: RunPause): Promise<void> {
  const { run_id, project_id } = run;
  const now = store.database.now();
  await writeExactly(tx, 1, 'UPDATE runs_runs SET paused_at = ?, pause = ? WHERE run_id = ?', [
    now,
    JSON.stringify(pause),
    run_id,
  ]);
  tx.skipConflictGuard(RUN.table, [[run_id]]);
  const active = `run_id = ? AND state IN ('pending', 'claimed')`;
  const columns = 'activity_id, epoch, agent_id, state';
  const found = await tx.lock<ClaimedRow>({ ...ACTIVITY, columns, where: active, params: [run_id] });
  if (found.length > 0) await tx.write(`UPDATE runs_activities SET due = ? WHERE ${active}`, [PAUSED_DUE, run_id]);
  tx.skipConflictGuard(
    ACTIVITY.table,
    found.map(({ activity_id }) => [activity_id]),
  );
  await recordPausing(tx, run, 'pause');
  failpoint('runs.paused');
  tx.afterCommit(() => {
    for (const { activity_id, epoch, agent_id, state } of found)
      if (state === 'claimed' && agent_id !== null) store.wakeups.paused({ activity_id, epoch, agent_id });
    store.wakeups.topic(PAUSING_TOPIC);
    store.wakeups.run(run_id, { project_id, part: 'run' });
  });
}

/** The run's row must be locked, and the run open and paused. */
async function resumeLocked(tx: Transaction, store: StoreContext, run: LockedRun): Promise<void> {
  const { run_id, project_id } = run;
  await writeExactly(tx, 1, 'UPDATE runs_runs SET paused_at = NULL, pause = NULL WHERE run_id = ?', [run_id]);
  tx.skipConflictGuard(RUN.table, [[run_id]]);
  run.paused_at = null;
  const held = `run_id = ? AND state IN ('pending', 'claimed') AND due = ?`;
  const params = [run_id, PAUSED_DUE];
  const found = await tx.lock<{ activity_id: string }>({ ...ACTIVITY, columns: 'activity_id', where: held, params });
  if (found.length > 0)
    await tx.write(`UPDATE runs_activities SET due = ? WHERE ${held}`, [store.database.now(), ...params]);
  tx.skipConflictGuard(
    ACTIVITY.table,
    found.map(({ activity_id }) => [activity_id]),
  );
  const coordinator = store.coordinators.get(run.coordinator ?? '');
  await coordinator?.resumed?.(tx, run);
  await recordPausing(tx, run, 'resume');
  failpoint('runs.resumed');
  tx.afterCommit(() => {
    store.wakeups.work();
    store.wakeups.topic(PAUSING_TOPIC);
    store.wakeups.run(run_id, { project_id, part: 'run' });
  });
}

export const PAUSING_TOPIC = 'runs.pausing';

type PausingAction = 'pause' | 'resume';

/** A run whose called runs are still to be paused or resumed, those after `after_id`. */
export interface PausingRun {
  run_id: string;
  org_id: string;
  project_id: string;
  action: PausingAction;
  after_id: string;
}

/** Records that the runs which this one has called are to follow it. Writes nothing for a run without open calls. */
async function recordPausing(tx: Transaction, { run_id, org_id, project_id }: LockedRun, action: PausingAction) {
  await tx.write('DELETE FROM runs_pausing WHERE run_id = ?', [run_id]);
  const [call] = await readOpenCalls(tx, run_id, '', 1);
  if (!call) return;
  const columns = ['run_id', 'org_id', 'project_id', 'action', 'after_id'];
  await insertRows(tx, 'INSERT INTO runs_pausing', columns, [[run_id, org_id, project_id, action, '']]);
}

const readOpenCalls = (on: Pick<Queries, 'read'>, run_id: string, after: string, limit: number) =>
  on.read<{ called_id: string }>(
    `SELECT called_id FROM runs_calls WHERE run_id = ? AND called_id > ? AND COALESCE(state, '') = 'open'
     ORDER BY called_id LIMIT ${Math.trunc(limit)}`,
    [run_id, after],
  );

export const readPausing = (
  on: Pick<Queries, 'read'>,
  after: PausingRun | undefined,
  limit: number,
): Promise<PausingRun[]> =>
  on.read<PausingRun>(
    `SELECT run_id, org_id, project_id, action, after_id FROM runs_pausing WHERE run_id > ?
     ORDER BY run_id LIMIT ${Math.trunc(limit)}`,
    [after?.run_id ?? ''],
  );

/** Called runs that one transaction pauses or resumes. */
const MAX_FOLLOWING = 32;

/**
 * Pauses or resumes up to 32 runs that a run has called, which are then recorded themselves. Answers true while more may follow. A
 * run that somebody has paused by itself is not resumed with its caller.
 */
export async function pauseCalled(store: StoreContext, { run_id: caller, org_id }: PausingRun): Promise<boolean> {
  await store.sealer.prepare(org_id);
  return retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      // Another server may have done this part, or somebody may have resumed the caller since.
      const [pausing] = await tx.read<PausingRun>(
        'SELECT run_id, org_id, project_id, action, after_id FROM runs_pausing WHERE run_id = ?',
        [caller],
      );
      if (!pausing) return false;
      const { action, after_id } = pausing;
      const calls = await readOpenCalls(tx, caller, after_id, MAX_FOLLOWING);
      const ids = calls.map(({ called_id }) => called_id);
      // First of all: this locks the record, so that the caller is not resumed in between.
      const where = 'WHERE run_id = ? AND action = ? AND after_id = ?';
      const params = [caller, action, after_id];
      const has_more = calls.length === MAX_FOLLOWING;
      const changed = has_more
        ? await tx.write(`UPDATE runs_pausing SET after_id = ? ${where}`, [ids.at(-1)!, ...params])
        : await tx.write(`DELETE FROM runs_pausing ${where}`, params);
      if (changed === 0) return true;
      const locked = await lockRuns<LockedRun & { pause: string | null }>(tx, ids, {
        columns: `${LOCKED_COLUMNS}, pause`,
      });
      for (const run of locked.values()) {
        if (isTerminal(run)) continue;
        if (action === 'pause') {
          if (!isPaused(run)) await pauseLocked(tx, store, run, { with: caller });
        } else if (isPaused(run) && isPausedWith(run, caller)) await resumeLocked(tx, store, run);
      }
      failpoint('runs.pausing');
      return has_more;
    }),
  );
}

const isPausedWith = ({ pause }: { pause: string | null }, caller: string): boolean =>
  pause !== null && (parseJson(pause) as RunPause).with === caller;
