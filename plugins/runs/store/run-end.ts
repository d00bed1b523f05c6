import { failpoint, type Transaction } from '../../../kernel/contracts/index.ts';
import type { Masker } from '../../masking/contract.ts';
import type { CoordinatedRun, RunCoordinator } from '../contract.ts';
import type { Ending } from '../domain/lifecycle.ts';
import { type Announcement, announce } from './announce.ts';
import { Coordinated } from './coordinated.ts';
import { runEndings } from './ending.ts';
import type { StoreParts } from './parts.ts';
import type { LockedRun } from './run-columns.ts';
import { isTerminal, mustBe, nextStatus, RUN, setStatus } from './run-rows.ts';
import { sealed, sealJson } from './sealing.ts';
import { type EndedWait, tellKinds } from './tell-kinds.ts';
import { forgetUntrusted } from './untrusted-runs.ts';
import { tellWork } from './tell-work.ts';
import { type RowValues, type UpdateRows, updateRows } from './update-rows.ts';

export interface Settling {
  /** A masker for the run's values; absent: they are read in the transaction. */
  masker?: Masker;
  /** Waits that ended in this transition; their kinds are told last. */
  waits?: readonly EndedWait[];
  /** Takes the announcements of a run that starts and ends in this transaction, for its owner to announce. */
  announcements?: Announcement[];
  /** The stored envelope, if it is known. */
  envelope?: string;
  /** What the run's coordinator does first, if there is one. */
  work?(coordinator: RunCoordinator, run: CoordinatedRun): Promise<void>;
}

/** After a change of the run: calls its coordinator, and sets the following status or ends the run. */
export async function settleRun(
  tx: Transaction,
  store: StoreParts,
  run: LockedRun,
  { masker, waits = [], envelope, announcements, work }: Settling = {},
): Promise<void> {
  const before = run.status;
  const coordinator = store.coordinators.get(run.coordinator ?? '');
  const coordinated = new Coordinated(tx, store, run, envelope);
  if (coordinator && work) await work(coordinator, coordinated);
  const next = await nextStatus(tx, run.run_id);
  // A queued run starts with its first claim.
  if (next && run.status !== 'queued') await setStatus(tx, run, next.status);
  if (next === undefined) {
    const ending = await endingOf(tx, store, run, coordinator, coordinated);
    await coordinated.start();
    if (ending) {
      const started = coordinated.takeStart();
      const over = await endRuns(tx, store, [{ run, ending, masker: masker ?? (await store.masks.of(run, tx)) }]);
      const both = [...(started ? [{ run }] : []), ...over];
      if (started && announcements && coordinated.cancelled.length === 0) announcements.push(...both);
      else await announce(tx, store, both, store.database.now());
    } else await setStatus(tx, run, 'running');
  }
  await coordinated.announceStart();
  // After the end was announced, because an announcement takes its locks first.
  await tellKinds(tx, store, [...waits, ...coordinated.cancelled]);
  const over = isTerminal(run);
  if (!over && (before === 'waiting' || run.status === 'waiting'))
    await tellWork(tx, store, [{ run, working: next?.working ?? true }]);
  tx.afterCommit(() => store.wakeups.run(run.run_id, { project_id: run.project_id, part: 'run', over }));
  failpoint('runs.settled');
}

async function endingOf(
  tx: Transaction,
  store: StoreParts,
  run: LockedRun,
  coordinator: RunCoordinator | undefined,
  coordinated: Coordinated,
): Promise<Ending | undefined> {
  if (run.coordinator === null) return (await runEndings(tx, store, [run])).get(run.run_id);
  if (coordinator) return coordinator.ending(tx, coordinated);
  const message = `no plugin coordinates runs of ${run.coordinator}`;
  return { status: 'failed', code: 'coordinator_missing', message };
}

/** Any open status → the ending, announced. The run's row must be locked, and nothing of it may be open. */
export async function finishRun(
  tx: Transaction,
  store: StoreParts,
  run: LockedRun,
  ending: Ending,
  masker: Masker | undefined,
): Promise<void> {
  await announce(tx, store, await endRuns(tx, store, [{ run, ending, masker }]), store.database.now());
}

export interface EndingRun {
  run: LockedRun;
  ending: Ending;
  /** Absent: nothing of the ending is masked where it is announced. */
  masker: Masker | undefined;
}

const ended = (status: Ending['status'], columns: readonly string[], none: string) =>
  updateRows({
    ...{ table: RUN.table, key: 'run_id', columns },
    set: `status = '${status}', ${none}, finished_at = ?`,
    // Not `status IN`: an index on states would find the runs of others.
    guard: `COALESCE(status, '') IN ('queued', 'running', 'waiting')`,
  });
const ENDED: Record<Ending['status'], UpdateRows> = {
  succeeded: ended(
    'succeeded',
    ['output', 'output_bytes'],
    'error_code = NULL, error_message = NULL, cancel_reason = NULL',
  ),
  failed: ended('failed', ['error_code', 'error_message'], 'output = NULL, output_bytes = NULL, cancel_reason = NULL'),
  cancelled: ended(
    'cancelled',
    ['cancel_reason'],
    'output = NULL, output_bytes = NULL, error_code = NULL, error_message = NULL',
  ),
};

/** Runs, at most 128, → their endings, for the caller to announce. */
export async function endRuns(
  tx: Transaction,
  store: StoreParts,
  endings: readonly EndingRun[],
): Promise<Announcement[]> {
  const now = store.database.now();
  for (const [status, same] of Map.groupBy(endings, ({ ending }) => ending.status)) {
    const rows = same.map((one) => endedValues(store, one));
    mustBe(rows.length, await ENDED[status](tx, [now], rows), `runs to be ${status}`);
  }
  tx.settled(
    RUN.table,
    endings.map(({ run }) => [run.run_id]),
  );
  await forgetUntrusted(
    tx,
    endings.map(({ run }) => run),
  );
  store.spans?.runsOver(
    tx,
    endings.map(({ run }) => run.run_id),
  );
  tx.afterCommit(() => {
    for (const { run } of endings) store.admission.ended(run.project_id, 1);
  });
  const announcements: Announcement[] = [];
  for (const { run, ending, masker } of endings) {
    run.status = ending.status;
    await store.coordinators.get(run.coordinator ?? '')?.over(tx, run);
    announcements.push({ run, ending: masker ? maskedEnding(ending, masker) : ending });
  }
  return announcements;
}

function endedValues(store: Pick<StoreParts, 'sealer'>, { run, ending }: EndingRun): RowValues {
  if (ending.status === 'succeeded') {
    const output = sealJson(store, sealed.runOutput(run, run.run_id), ending.output);
    return [run.run_id, output, output.length];
  }
  return ending.status === 'failed'
    ? [run.run_id, ending.code ?? null, ending.message ?? null]
    : [run.run_id, ending.reason];
}

/** Announcements reach other readers, so they are masked; the record keeps the output unchanged. */
function maskedEnding(ending: Ending, masker: Masker): Ending {
  if (ending.status === 'succeeded') return { ...ending, output: masker.json(ending.output) };
  return ending.status === 'failed' ? { ...ending, message: masker.text(ending.message) } : ending;
}
