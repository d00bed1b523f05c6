import {
  retryUnknownCommit,
  type Transaction,
  failpoint,
  type Param,
  inList,
  Errors,
  isServiceError,
  type ServiceError,
} from '../../../../../kernel/contracts/index.ts';
import {
  type ActivityScope,
  type CoordinatedRun,
  type RunCoordinator,
  type Claimed,
  type InstantClaimer,
  type NewActivity,
  type Json,
  type RunTransition,
  type ActivityEnd,
  type Trigger,
  type WaitingActivity,
  NO_EXECUTOR,
  runUrl,
} from '../../contract.ts';
import type { StoreContext } from '../rows/context.ts';
import {
  isPaused,
  isTerminal,
  lockRunOf,
  type LockedRun,
  assertCount,
  readNextStatus,
  RUN,
  setStatus,
  notifyWorkObservers,
  triggerOf,
  writeExactly,
  tagsOf,
  resolveReference,
} from '../rows/runs.ts';
import type { Masker } from '../../../../security/masking/contract.ts';
import { type Ending, lifecyclePayload, transitionType } from '../../domain/lifecycle.ts';
import { openEnvelope, parseJson, sealContext, sealJson, sealResult } from '../rows/sealing.ts';
import { type EndedWait, notifyWaitKinds } from '../rows/waits.ts';
import { deleteUntrusted, countCalls } from '../rows/usage.ts';
import {
  type RowValues,
  type UpdateRows,
  updateRows,
  activityRow,
  insertActivities,
  type InsertedActivity,
} from '../rows/activities.ts';
import { prepareActivity, readActivityEnds, cancelOpen } from '../rows/activity-ends.ts';
import { addWaiting } from '../wait/park.ts';
import { firstClaimOf } from '../claim/eager.ts';

/** Lets the coordinator of a run continue, in a transaction of its own. Does nothing for a run that has ended. */
export async function advanceRun(
  store: StoreContext,
  scope: ActivityScope,
  work: (tx: Transaction, run: CoordinatedRun) => Promise<void>,
): Promise<void> {
  await store.sealer.prepare(scope.org_id);
  await retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRunOf(tx, scope);
      if (!isTerminal(run)) await updateRunStatus(tx, store, run, { work: (_coordinator, held) => work(tx, held) });
    }),
  );
}

export interface StatusUpdate {
  /** The masker of the run's values. Absent, they are read in the transaction. */
  masker?: Masker;
  /** Waits that ended in this transition; their kinds are notified last. */
  waits?: readonly EndedWait[];
  /** Collects the announcements of a run that starts and ends in this transaction, for the caller to announce. */
  announcements?: Announcement[];
  /**
   * Present for a run that this transaction has created: nobody else sees it yet, and what has just been written of it is not
   * read again.
   */
  created?: CreatedRun;
  /** What the run's coordinator does first, if there is one. */
  work?(coordinator: RunCoordinator, run: CoordinatedRun): Promise<void>;
}

export interface CreatedRun {
  /** What the run is given. */
  envelope(): Claimed['envelope'];
  /** False for a run that has secret values from the start, as one has that takes over those of another run. */
  has_no_masks: boolean;
  /** Called when the run ends in this transaction, with what it stores. */
  onEnded(ending: Ending, times: RunTimes): void;
}

/** Epoch ms by the database's clock. */
export interface RunTimes {
  started_at: number | undefined;
  finished_at: number;
}

/** Calls the coordinator of a run that has changed, and sets the run's next status or ends the run. */
export async function updateRunStatus(
  tx: Transaction,
  store: StoreContext,
  run: LockedRun,
  { masker, waits = [], created, announcements, work }: StatusUpdate = {},
): Promise<void> {
  const before = run.status;
  const coordinator = store.coordinators.get(run.coordinator ?? '');
  const coordinated = new CoordinatedRunHandle(tx, store, run, created);
  if (coordinator && work) await work(coordinator, coordinated);
  // A new run that nothing was added to has no activity.
  const next = coordinated.is_untouched ? undefined : await readNextStatus(tx, run.run_id);
  // A queued run starts with its first claim.
  if (next && run.status !== 'queued') await setStatus(tx, run, next.status);
  if (next === undefined) {
    const ending = await decideEnding(tx, store, run, coordinator, coordinated);
    // A run that was submitted paused stays queued until it is resumed.
    if (ending || run.status !== 'queued' || !isPaused(run)) await coordinated.start();
    if (ending) {
      const started_at = coordinated.unwritten_start;
      const started = coordinated.consumeStart();
      const has_no_masks = created?.has_no_masks === true && coordinated.is_untouched;
      const known_masker = masker ?? (has_no_masks ? undefined : await store.masks.of(run, tx));
      const finished_at = store.database.now();
      const ends = await endRuns(tx, store, [{ run, ending, masker: known_masker, started_at }], finished_at);
      if (has_no_masks) created.onEnded(ending, { started_at, finished_at });
      const transitions = started ? [{ run }, ...ends] : ends;
      if (started && announcements && coordinated.cancelled.length === 0) announcements.push(...transitions);
      else await announceTransitions(tx, store, transitions);
    } else if (run.status !== 'queued') await setStatus(tx, run, 'running');
  }
  await coordinated.announceStart();
  // After the end was announced, because an announcement takes its locks first.
  await notifyWaitKinds(tx, store, [...waits, ...coordinated.cancelled]);
  const ended = isTerminal(run);
  if (!ended && (before === 'waiting' || run.status === 'waiting'))
    await notifyWorkObservers(tx, store, [{ run, working: next?.working ?? true }]);
  tx.afterCommit(() => store.wakeups.run(run.run_id, { project_id: run.project_id, part: 'run', over: ended }));
  failpoint('runs.settled');
}

async function decideEnding(
  tx: Transaction,
  store: StoreContext,
  run: LockedRun,
  coordinator: RunCoordinator | undefined,
  coordinated: CoordinatedRunHandle,
): Promise<Ending | undefined> {
  if (run.coordinator === null) return (await readRunEndings(tx, store, [run])).get(run.run_id);
  if (coordinator) return coordinator.ending(tx, coordinated);
  const message = `no plugin coordinates runs of ${run.coordinator}`;
  return { status: 'failed', code: 'coordinator_missing', message };
}

/** Any open status → the ending, announced. The run's row must be locked, and nothing of it may be open. */
export async function endRun(
  tx: Transaction,
  store: StoreContext,
  run: LockedRun,
  ending: Ending,
  masker: Masker | undefined,
): Promise<void> {
  await announceTransitions(tx, store, await endRuns(tx, store, [{ run, ending, masker }]));
}

export interface RunToEnd {
  run: LockedRun;
  ending: Ending;
  /** Absent for an ending that holds no value of the run: it is announced as it is. */
  masker: Masker | undefined;
  /** Present for a run that starts and ends in one transaction, and whose start is not written yet. */
  started_at?: number | undefined;
}

const endedRunsUpdate = (status: Ending['status'], columns: readonly string[], none: string) =>
  updateRows({
    table: RUN.table,
    key: 'run_id',
    columns,
    set: `status = '${status}', ${none}, finished_at = ?`,
    // Not `status IN`: an index on states would find the runs of others.
    guard: `COALESCE(status, '') IN ('queued', 'running', 'waiting')`,
  });
const endedRunsUpdates = (columns: readonly string[]): Record<Ending['status'], UpdateRows> => ({
  succeeded: endedRunsUpdate(
    'succeeded',
    ['output', 'output_bytes', ...columns],
    'error_code = NULL, error_message = NULL, cancel_reason = NULL',
  ),
  failed: endedRunsUpdate(
    'failed',
    ['error_code', 'error_message', ...columns],
    'output = NULL, output_bytes = NULL, cancel_reason = NULL',
  ),
  cancelled: endedRunsUpdate(
    'cancelled',
    ['cancel_reason', ...columns],
    'output = NULL, output_bytes = NULL, error_code = NULL, error_message = NULL',
  ),
});
const END_RUNS = endedRunsUpdates([]);
const START_AND_END_RUNS = endedRunsUpdates(['started_at']);

/** Ends up to 128 runs, for the caller to announce. */
export async function endRuns(
  tx: Transaction,
  store: StoreContext,
  endings: readonly RunToEnd[],
  now = store.database.now(),
): Promise<Announcement[]> {
  for (const [status, same] of Map.groupBy(endings, ({ ending }) => ending.status)) {
    const [unstarted, others] = partition(same, ({ started_at }) => started_at !== undefined);
    const rows = others.map((run) => endedRunValues(store, run));
    assertCount(rows.length, await END_RUNS[status](tx, [now], rows), `runs to be ${status}`);
    const whole = unstarted.map((run): RowValues => [...endedRunValues(store, run), run.started_at!]);
    assertCount(whole.length, await START_AND_END_RUNS[status](tx, [now], whole), `runs to be ${status}`);
  }
  tx.skipConflictGuard(
    RUN.table,
    endings.map(({ run }) => [run.run_id]),
  );
  await deleteUntrusted(
    tx,
    endings.map(({ run }) => run),
  );
  store.spans?.runsOver(
    tx,
    endings.map(({ run }) => run.run_id),
  );
  tx.afterCommit(() => {
    for (const { run } of endings) store.admission.subtractEnded(run.project_id, 1);
  });
  const announcements: Announcement[] = [];
  for (const { run, ending, masker } of endings) {
    run.status = ending.status;
    await store.coordinators.get(run.coordinator ?? '')?.over(tx, run);
    announcements.push({ run, ending: masker ? maskedEnding(ending, masker) : ending });
  }
  return announcements;
}

function endedRunValues(store: Pick<StoreContext, 'sealer'>, { run, ending }: RunToEnd): RowValues {
  if (ending.status === 'succeeded') {
    const { record } = ending;
    const output = record
      ? sealResult(store.sealer, run, record.output_json, record.content)
      : sealJson(store, sealContext.runOutput(run, run.run_id), ending.output);
    return [run.run_id, output, output.length];
  }
  return ending.status === 'failed'
    ? [run.run_id, ending.code ?? null, ending.message ?? null]
    : [run.run_id, ending.reason];
}

/** Announcements reach other readers, so they are masked; the run itself keeps its output unchanged. */
function maskedEnding(ending: Ending, masker: Masker): Ending {
  if (ending.status === 'succeeded') return { ...ending, output: masker.json(ending.output) };
  return ending.status === 'failed' ? { ...ending, message: masker.text(ending.message) } : ending;
}

/**
 * Adds activities to a coordinated run whose row is locked. Those for which a claimer of this process has capacity are claimed
 * at once; the others are pending. Answers whether one was claimed.
 */
async function addAndClaim(
  tx: Transaction,
  store: StoreContext,
  run: LockedRun,
  activities: readonly NewActivity[],
): Promise<boolean> {
  const now = store.database.now();
  const rows: Param[][] = [];
  const claims: { claimer: InstantClaimer; row: InsertedActivity }[] = [];
  for (const activity of activities) {
    const row = await prepareActivity(tx, store, run, activity);
    const trusted = run.trusted === 1;
    const requires = store.queues.requirementsOf(activity, trusted);
    // A claim in the same transaction gets no journal.
    const claimer =
      activity.resumed || isPaused(run) ? undefined : store.eager.claimerFor(run, { ...activity, requires }, trusted);
    if (!claimer) rows.push(activityRow(row, run, now));
    else {
      const claim = { agent_id: claimer.agent_id, deadline: now + claimer.lease_ms };
      rows.push(activityRow({ ...row, claim }, run, now));
      claims.push({ claimer, row });
    }
  }
  await insertActivities(tx, rows);
  tx.afterCommit(() => {
    for (const { claimer, row } of claims) store.eager.deliver(claimer, firstClaimOf(run, row));
    if (claims.length < activities.length) store.wakeups.work();
    store.wakeups.run(run.run_id, { project_id: run.project_id, part: 'steps' });
  });
  return claims.length > 0;
}

interface ResultRow {
  run_id: string;
  activity_id: string;
  name: string;
  state: string;
  output: Buffer | null;
  error_code: string | null;
  error_message: string | null;
}

/**
 * The endings of uncoordinated runs whose activities have all ended, by run id: failed with the first failure; otherwise
 * succeeded with the output of the only activity, or with those of several by their names. Children do not count. Outputs that
 * this transaction has just sealed are taken from `outputs`, by activity.
 */
export async function readRunEndings(
  tx: Pick<Transaction, 'read'>,
  store: Pick<StoreContext, 'sealer'>,
  runs: readonly LockedRun[],
  outputs: ReadonlyMap<string, Json> = new Map(),
): Promise<Map<string, Ending>> {
  const list = inList(runs.map(({ run_id }) => run_id));
  const rows = await tx.read<ResultRow>(
    `SELECT run_id, activity_id, name, state, output, error_code, error_message FROM runs_activities
     WHERE run_id IN ${list.placeholders} AND parent IS NULL ORDER BY finished_at, activity_id`,
    list.params,
  );
  const results = Map.groupBy(rows, ({ run_id }) => run_id);
  return new Map(runs.map((run) => [run.run_id, toRunEnding(store, run, results.get(run.run_id) ?? [], outputs)]));
}

function toRunEnding(
  store: Pick<StoreContext, 'sealer'>,
  run: LockedRun,
  rows: readonly ResultRow[],
  outputs: ReadonlyMap<string, Json>,
): Ending {
  const failed = rows.find(({ state }) => state === 'failed');
  if (failed) return { status: 'failed', code: failed.error_code ?? 'failed', message: failed.error_message ?? '' };
  const output = (row: ResultRow): Json => {
    if (row.output === null) return null;
    const output = outputs.get(row.activity_id);
    if (output !== undefined) return parseJson(JSON.stringify(output));
    return parseJson(store.sealer.open(sealContext.activityOutput(run, row.activity_id), row.output).toString());
  };
  if (rows.length === 1) return { status: 'succeeded', output: output(rows[0]!) };
  return { status: 'succeeded', output: Object.fromEntries(rows.map((row) => [row.name, output(row)])) };
}

/** queued → running, announced in the same transaction; does nothing for runs that have started. */
export async function startRuns(
  tx: Transaction,
  store: StoreContext,
  runs: readonly LockedRun[],
  now: number,
): Promise<void> {
  const started = await markStarted(tx, runs, now);
  await announceTransitions(
    tx,
    store,
    started.map((run) => ({ run })),
  );
}

/** queued → running, for the caller to announce. Answers the runs that had not started. */
export async function markStarted(tx: Transaction, runs: readonly LockedRun[], now: number): Promise<LockedRun[]> {
  const queued = runs.filter(({ status }) => status === 'queued');
  if (queued.length === 0) return [];
  await writeStarted(tx, queued, now);
  for (const run of queued) run.status = 'running';
  return queued;
}

async function writeStarted(tx: Transaction, queued: readonly LockedRun[], now: number): Promise<void> {
  const list = inList(queued.map(({ run_id }) => run_id));
  await writeExactly(
    tx,
    queued.length,
    `UPDATE runs_runs SET status = 'running', started_at = ? WHERE status = 'queued' AND run_id IN ${list.placeholders}`,
    [now, ...list.params],
  );
  tx.skipConflictGuard(
    RUN.table,
    queued.map(({ run_id }) => [run_id]),
  );
}

/** A run that has started or, with an ending, has ended. */
export interface Announcement {
  run: LockedRun;
  ending?: Ending;
}

/**
 * Announces transitions of runs in the transaction that makes them. The guards of the run's row reject a second start and a
 * second end (I13): only a queued run starts, and only an open one ends. A start comes before the end of its run.
 */
export async function announceTransitions(
  tx: Transaction,
  store: StoreContext,
  announcements: readonly Announcement[],
): Promise<void> {
  if (announcements.length === 0) return;
  const transitions = announcements.map((announcement) => toTransition(store, announcement));
  for (const observer of store.observers) await observer.onTransitions(tx, transitions);
}

function toTransition(store: StoreContext, { run, ending }: Announcement): RunTransition {
  const { org_id, project_id, run_id, subject, generation, workflow } = run;
  const trigger = triggerOf(run);
  const announced = { run_id, workflow, tags: tagsOf(run), trigger };
  return {
    type: transitionType(ending?.status ?? 'running'),
    org_id,
    project_id,
    run_id,
    subject,
    generation,
    trusted: run.trusted === 1,
    trigger,
    trace: store.spans?.of(run) ?? null,
    payload: lifecyclePayload(announced, ending, runUrl(store.public_url, run, run_id)),
  };
}

/** A run as its coordinator sees it, in a transaction that has locked the run's row. */
class CoordinatedRunHandle implements CoordinatedRun {
  readonly run_id: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly subject: string | null;
  readonly generation: number;
  readonly trusted: boolean;
  readonly paused: boolean;
  readonly trigger: Trigger;
  /** Waits that were cancelled here; their kinds are notified after the transition. */
  readonly cancelled: EndedWait[] = [];
  readonly #tx: Transaction;
  readonly #store: StoreContext;
  readonly #run: LockedRun;
  readonly #created: CreatedRun | undefined;
  #envelope: Claimed['envelope'] | undefined;
  #start_due = false;
  /** When a new run has started, as long as its row does not say so. */
  #unwritten_start: number | undefined;
  #touched = false;

  constructor(tx: Transaction, store: StoreContext, run: LockedRun, created?: CreatedRun) {
    this.#tx = tx;
    this.#store = store;
    this.#run = run;
    this.#created = created;
    this.run_id = run.run_id;
    this.org_id = run.org_id;
    this.project_id = run.project_id;
    this.subject = run.subject;
    this.generation = run.generation;
    this.trusted = run.trusted === 1;
    this.paused = isPaused(run);
    this.trigger = parseJson(run.trigger_fields) as Trigger;
  }

  async envelope(): Promise<Claimed['envelope']> {
    this.#envelope ??= this.#created?.envelope() ?? (await this.#readEnvelope());
    return resolveReference(this.#store, this.#envelope, this, this.#tx);
  }

  async #readEnvelope(): Promise<Claimed['envelope']> {
    const [row] = await this.#tx.read<{ envelope: string }>('SELECT envelope FROM runs_runs WHERE run_id = ?', [
      this.run_id,
    ]);
    if (!row) throw Errors.notFound(`there is no run ${this.run_id}`);
    return openEnvelope(this.#store.sealer, this, parseJson(row.envelope) as Claimed['envelope']);
  }

  /** True for a new run to which no activity was added. */
  get is_untouched(): boolean {
    return this.#created !== undefined && !this.#touched;
  }

  get unwritten_start(): number | undefined {
    return this.#unwritten_start;
  }

  async start(): Promise<void> {
    if (this.is_untouched && this.#run.status === 'queued') {
      // Written together with the end of the run, or before anything else that others can see.
      this.#unwritten_start = this.#store.database.now();
      this.#run.status = 'running';
      this.#start_due = true;
      return;
    }
    const started = await markStarted(this.#tx, [this.#run], this.#store.database.now());
    this.#start_due ||= started.length > 0;
  }

  /** Announces a start that is due: before anything else that others can see, or together with the end of the run. */
  async announceStart(): Promise<void> {
    await this.#writeStart();
    if (this.consumeStart()) await announceTransitions(this.#tx, this.#store, [{ run: this.#run }]);
  }

  async #writeStart(): Promise<void> {
    const started_at = this.#unwritten_start;
    if (started_at === undefined) return;
    this.#unwritten_start = undefined;
    await writeStarted(this.#tx, [this.#run], started_at);
  }

  /** True when the caller has to announce the start, and to write it where it is unwritten. */
  consumeStart(): boolean {
    const due = this.#start_due;
    this.#unwritten_start = undefined;
    this.#start_due = false;
    return due;
  }

  async add(activities: readonly NewActivity[]): Promise<void> {
    this.#touched = true;
    await this.announceStart();
    if (await addAndClaim(this.#tx, this.#store, this.#run, activities)) await this.start();
    await this.announceStart();
  }

  async wait(activity: WaitingActivity): Promise<ActivityEnd | undefined> {
    this.#touched = true;
    if (!activity.queued) await this.start();
    await this.announceStart();
    try {
      return await addWaiting(this.#tx, this.#store, this.#run, activity);
    } catch (error) {
      if (!isServiceError(error) || error.status >= 500) throw error;
      const { activity_id, name, parent = null } = activity;
      await this.cancel('it cannot wait', [activity_id]);
      const result = { status: 'failed' as const, code: error.code, message: error.message };
      return { activity_id, name, parent, executor: NO_EXECUTOR, result };
    }
  }

  async count(bytes: number): Promise<ServiceError | undefined> {
    return this.trusted ? undefined : countCalls(this.#tx, this.#store.limits, this.run_id, [{ bytes }]);
  }

  async cancel(reason: string, activity_ids?: readonly string[]): Promise<void> {
    this.#touched = true;
    await this.announceStart();
    const { run_id } = this;
    this.cancelled.push(...(await cancelOpen(this.#tx, this.#store, { run_id, activity_ids, reason })));
  }

  ends(activity_ids: readonly string[]): Promise<Map<string, ActivityEnd>> {
    return readActivityEnds(this.#tx, this.#store, this, activity_ids);
  }
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [matching: T[], others: T[]] {
  const matching: T[] = [];
  const others: T[] = [];
  for (const item of items) (test(item) ? matching : others).push(item);
  return [matching, others];
}
