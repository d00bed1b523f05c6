import {
  inList,
  inState,
  insertRows,
  chunks,
  type Param,
  type Queries,
  type Transaction,
} from '../../../../../kernel/contracts/index.ts';
import type {
  Activities,
  ActivityEnd,
  ActivityScope,
  ChildActivity,
  Completion,
  CopiedActivity,
  NewActivity,
  ClaimRef,
} from '../../contract.ts';
import {
  ACTIVITY,
  activityRow,
  insertActivities,
  type InsertedActivity,
  type RowValues,
  updateRows,
} from './activities.ts';
import type { StoreContext } from './context.ts';
import { beginningOf } from '../read-notes.ts';
import { LISTED_OUTPUT_BYTES, type RunRow, assertCount, PRIORITY, writeExactly } from './runs.ts';
import { hasRecord, openResult, openSpec, parseJson, sealContext, sealJson, sealSpec } from './sealing.ts';
import type { EndedWait } from './waits.ts';
import { countChildren } from './usage.ts';

/** The notes of the engine are stored after those of a pass. */
const FIRST_ENGINE_NOTE = 1_000_000;

type ActivitiesContext = Pick<StoreContext, 'database' | 'sealer' | 'wakeups' | 'ids' | 'queues' | 'limits'>;

export const createActivities = (store: ActivitiesContext): Activities => ({
  add: (tx, run, activities) => addActivities(tx, store, run, activities),
  copy: (tx, copied) => copyActivity(tx, store, copied),
  end: async (tx, run, activity_id) => (await readActivityEnds(tx, store, run, [activity_id])).get(activity_id),
  ends: (on, run, activity_ids) => readActivityEnds(on, store, run, activity_ids),
  outputBytes: readOutputBytes,
  async record(on, run) {
    const [row] = await on.read<{ output: Buffer | null }>(
      'SELECT output FROM runs_runs WHERE run_id = ? AND org_id = ? AND project_id = ? AND output_bytes <= ?',
      // No larger output has a record.
      [run.run_id, run.org_id, run.project_id, LISTED_OUTPUT_BYTES],
    );
    const output = row?.output;
    return output && hasRecord(output) ? openResult(store.sealer, run, output).record : undefined;
  },
  async noteExit(tx, activity_id, exit_code) {
    await writeExactly(tx, 1, `UPDATE runs_activities SET exit_code = ? WHERE activity_id = ? AND state = 'done'`, [
      exit_code,
      activity_id,
    ]);
  },
  async note(tx, run, activity_id, text) {
    const [last] = await tx.read<{ nth: number | null }>(
      'SELECT MAX(nth) AS nth FROM runs_annotations WHERE run_id = ? AND activity_id = ? AND nth >= ?',
      [run.run_id, activity_id, FIRST_ENGINE_NOTE],
    );
    await insertRows(
      tx,
      'INSERT INTO runs_annotations',
      ['run_id', 'activity_id', 'nth', 'text', 'written_at', 'beginning'],
      [
        [
          run.run_id,
          activity_id,
          (last?.nth ?? FIRST_ENGINE_NOTE - 1) + 1,
          text,
          store.database.now(),
          beginningOf(text),
        ],
      ],
    );
  },
});

/**
 * Adds activities to a run in progress. Their specs are sealed, because they may hold outputs of earlier ones. Throws
 * `run_storage_limit`.
 */
export async function addActivities(
  tx: Transaction,
  store: ActivitiesContext,
  run: ActivityScope,
  activities: readonly (NewActivity | ChildActivity)[],
): Promise<void> {
  const now = store.database.now();
  const rows: Param[][] = [];
  // Neither ever changes, so they are read without a lock.
  const [found] = await tx.read<Pick<RunRow, 'trusted' | 'priority'>>(
    `SELECT trusted, ${PRIORITY} FROM runs_runs WHERE run_id = ?`,
    [run.run_id],
  );
  const scope = { ...run, trusted: found?.trusted ?? 0, priority: found?.priority ?? null };
  if (scope.trusted === 0) await countChildren(tx, store.limits, run.run_id, activities.length);
  for (const activity of activities)
    rows.push(activityRow(await prepareActivity(tx, store, scope, activity), run, now));
  await insertActivities(tx, rows);
  tx.afterCommit(() => {
    store.wakeups.work();
    store.wakeups.run(run.run_id, { project_id: run.project_id, part: 'steps' });
  });
}

/** The columns of an activity that is about to be added. Inserts its task queue. */
export async function prepareActivity(
  tx: Transaction,
  store: Pick<StoreContext, 'sealer' | 'queues'>,
  run: ActivityScope & Pick<RunRow, 'trusted' | 'priority'>,
  activity: NewActivity | ChildActivity,
): Promise<InsertedActivity> {
  const lane = await store.queues.queueFor(tx, run.org_id, activity, { ...run, trusted: run.trusted === 1 });
  const parent = 'parent' in activity ? activity.parent : null;
  const spec = sealSpec(store, run, activity.activity_id, activity.spec);
  const { activity_id, name, executor, resumed } = activity;
  return { activity_id, name, executor, spec, lane, parent, ...(resumed && { resumed }) };
}

interface ActivityResultRow {
  activity_id: string;
  parent: string | null;
  name: string;
  executor: string;
  state: string;
  output: Buffer | null;
  error_code: string | null;
  error_message: string | null;
}

/** An activity that ends, and its result. */
export interface ActivityCompletion {
  place: ActivityScope & { activity_id: string };
  completion: Completion;
  /** The output as JSON, if the caller has written it already. */
  output_json?: Buffer | undefined;
}

const endedRowsUpdate = (
  state: 'done' | 'failed',
  from: 'claimed' | 'parked',
  columns: readonly string[],
  set: string,
) =>
  updateRows({
    table: ACTIVITY.table,
    key: 'activity_id',
    columns,
    guard: inState(from),
    set: `state = '${state}', ${set}, deadline = NULL, agent_id = NULL, finished_at = ?`,
  });
const updatesFrom = (from: 'claimed' | 'parked') => ({
  done: endedRowsUpdate('done', from, ['output'], 'error_code = NULL, error_message = NULL, exit_code = 0'),
  failed: endedRowsUpdate('failed', from, ['error_code', 'error_message', 'exit_code'], 'output = NULL'),
});
const END_ACTIVITIES = { claimed: updatesFrom('claimed'), parked: updatesFrom('parked') };

/** Ends up to 128 activities. They or their runs must be locked, and all must be in the state `from`. */
export async function endActivities(
  tx: Transaction,
  store: Pick<StoreContext, 'database' | 'sealer' | 'spans'>,
  from: 'claimed' | 'parked',
  ends: readonly ActivityCompletion[],
): Promise<void> {
  const done: RowValues[] = [];
  const failed: RowValues[] = [];
  for (const { place, completion, output_json } of ends) {
    const { activity_id } = place;
    const context = sealContext.activityOutput(place, activity_id);
    if (completion.status === 'succeeded')
      done.push([
        activity_id,
        output_json ? store.sealer.seal(context, output_json) : sealJson(store, context, completion.output),
      ]);
    else failed.push([activity_id, completion.code, completion.message, completion.exit_code ?? null]);
  }
  const now = store.database.now();
  assertCount(done.length, await END_ACTIVITIES[from].done(tx, [now], done), 'activities');
  assertCount(failed.length, await END_ACTIVITIES[from].failed(tx, [now], failed), 'activities');
  const ids = ends.map(({ place }) => place.activity_id);
  tx.skipConflictGuard(
    ACTIVITY.table,
    ids.map((id) => [id]),
  );
  store.spans?.activitiesEnded(tx, ids, from === 'claimed' ? 'completed' : undefined);
}

/** Reads results of activities. Leaves out those that have not ended or were cancelled. The org's keys must be ready. */
export async function readActivityEnds(
  on: Pick<Queries, 'read'>,
  store: Pick<StoreContext, 'sealer'>,
  run: ActivityScope,
  activity_ids: readonly string[],
): Promise<Map<string, ActivityEnd>> {
  const ends = new Map<string, ActivityEnd>();
  for (const ids of chunks(activity_ids)) {
    const list = inList(ids);
    const rows = await on.read<ActivityResultRow>(
      `SELECT activity_id, parent, name, executor, state, output, error_code, error_message FROM runs_activities
       WHERE activity_id IN ${list.placeholders} AND run_id = ? AND COALESCE(state, '') IN ('done', 'failed')`,
      [...list.params, run.run_id],
    );
    for (const row of rows) ends.set(row.activity_id, toActivityEnd(store, run, row));
  }
  return ends;
}

export async function readOutputBytes(
  on: Pick<Queries, 'read'>,
  run: ActivityScope,
  activity_ids: readonly string[],
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const ids of chunks(activity_ids)) {
    const list = inList(ids);
    const rows = await on.read<{ activity_id: string; bytes: number }>(
      `SELECT activity_id, LENGTH(output) AS bytes FROM runs_activities
       WHERE activity_id IN ${list.placeholders} AND run_id = ? AND output IS NOT NULL`,
      [...list.params, run.run_id],
    );
    for (const { activity_id, bytes } of rows) sizes.set(activity_id, Number(bytes));
  }
  return sizes;
}

function toActivityEnd(store: Pick<StoreContext, 'sealer'>, run: ActivityScope, row: ActivityResultRow): ActivityEnd {
  const { activity_id, parent, name, executor, output, error_code, error_message } = row;
  const whose = { activity_id, parent, name, executor };
  if (row.state === 'failed')
    return { ...whose, result: { status: 'failed', code: error_code ?? 'failed', message: error_message ?? '' } };
  const context = sealContext.activityOutput(run, activity_id);
  const json = output === null ? undefined : store.sealer.open(context, output);
  const value = json === undefined ? null : parseJson(json.toString());
  return { ...whose, result: { status: 'succeeded', output: value }, output_bytes: json?.length };
}

interface CopiedRow extends ActivityResultRow {
  spec: string;
  lane: string;
  exit_code: number | null;
  finished_at: number | null;
}

async function copyActivity(
  tx: Transaction,
  store: ActivitiesContext,
  { from, to, activity_id: old, parent }: CopiedActivity,
): Promise<string> {
  const [row] = await tx.read<CopiedRow>(
    `SELECT activity_id, name, executor, spec, lane, state, output, error_code, error_message, exit_code, finished_at
     FROM runs_activities WHERE activity_id = ? AND run_id = ?`,
    [old, from.run_id],
  );
  if (!row) throw new Error(`run ${from.run_id} has no activity ${old}`);
  const now = store.database.now();
  const activity_id = store.ids.next('act');
  const ended = row.state === 'done' || row.state === 'failed';
  const output =
    ended && row.output !== null
      ? store.sealer.seal(
          sealContext.activityOutput(to, activity_id),
          store.sealer.open(sealContext.activityOutput(from, old), row.output),
        )
      : null;
  const end = ended ? [row.finished_at, output, row.error_code, row.error_message, row.exit_code] : [];
  const { name, executor, lane } = row;
  const spec = sealSpec(store, to, activity_id, openSpec(store, from, old, row.spec));
  const copy = { activity_id, name, executor, spec, lane, state: ended ? row.state : 'pending', parent };
  await insertActivities(tx, [[...activityRow(copy, to, now), ...end]]);
  return activity_id;
}

/** Cancels the children of an activity that has failed, and calls the observers of ends. Answers the waits of the children. */
export const onActivityEnded = (tx: Transaction, store: StoreContext, run: ActivityScope, end: ActivityEnd) =>
  onActivitiesEnded(tx, store, [{ run, end }]);

/** The same for up to 128 activities. */
export async function onActivitiesEnded(
  tx: Transaction,
  store: StoreContext,
  ends: readonly { run: ActivityScope; end: ActivityEnd }[],
): Promise<EndedWait[]> {
  const failed = ends.flatMap(({ end }) => (end.result.status === 'failed' ? [end.activity_id] : []));
  const parents = await parentsOfOpen(tx, failed);
  const waits: EndedWait[] = [];
  for (const { run, end } of ends) {
    const { activity_id, result } = end;
    if (result.status === 'failed' && parents.has(activity_id)) {
      const reason = `its caller has failed: ${result.code}`;
      waits.push(...(await cancelOpen(tx, store, { run_id: run.run_id, activity_ids: [activity_id], reason })));
    }
    for (const observer of store.activity_observers) await observer.onEnded(tx, run, end);
  }
  return waits;
}

const OPEN_STATES = `('pending', 'claimed', 'parked')`;
const NO_PARENTS: ReadonlySet<string> = new Set();

interface CancelSelection {
  run_id: string;
  /** Absent for every open activity of the run. */
  activity_ids?: readonly string[];
  /** The reason that agents get which work on them. */
  reason: string;
}

/**
 * Cancels open activities with their children and waits. Answers the waits. The run must be locked. Reads and writes only rows
 * of these activities.
 */
export async function cancelOpen(
  tx: Transaction,
  store: Pick<StoreContext, 'database' | 'wakeups' | 'spans'>,
  cancelling: CancelSelection,
): Promise<EndedWait[]> {
  const { run_id, activity_ids, reason } = cancelling;
  if (activity_ids === undefined)
    return cancelActivities(tx, store, cancelling, `run_id = ? AND state IN ${OPEN_STATES}`, [run_id]);
  const ended: EndedWait[] = [];
  for (const ids of chunks(activity_ids)) {
    const list = inList(ids);
    // Not `state IN`: that would scan every open activity of the run.
    const open = `activity_id IN ${list.placeholders} AND COALESCE(state, '') IN ${OPEN_STATES}`;
    ended.push(...(await cancelActivities(tx, store, cancelling, open, list.params)));
    const children = (await readOpenChildren(tx, ids)).map(({ activity_id }) => activity_id);
    if (children.length > 0) ended.push(...(await cancelOpen(tx, store, { run_id, activity_ids: children, reason })));
  }
  return ended;
}

/** Locks the open activities of up to 128 runs, in the order of their ids, as all transitions of several do. */
export async function lockOpenActivities(tx: Transaction, run_ids: readonly string[]): Promise<void> {
  if (run_ids.length === 0) return;
  const list = inList(run_ids);
  const where = `run_id IN ${list.placeholders} AND state IN ${OPEN_STATES}`;
  await tx.lock({ ...ACTIVITY, columns: 'activity_id', where, params: list.params });
}

/** Which of up to 128 activities have open children. */
export async function parentsOfOpen(
  tx: Pick<Transaction, 'read'>,
  activity_ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (activity_ids.length === 0) return NO_PARENTS;
  return new Set((await readOpenChildren(tx, activity_ids)).map(({ parent }) => parent));
}

function readOpenChildren(tx: Pick<Transaction, 'read'>, activity_ids: readonly string[]) {
  const list = inList(activity_ids);
  return tx.read<{ activity_id: string; parent: string }>(
    `SELECT activity_id, parent FROM runs_activities WHERE parent IN ${list.placeholders} AND COALESCE(state, '') IN ${OPEN_STATES}`,
    list.params,
  );
}

async function cancelActivities(
  tx: Transaction,
  store: Pick<StoreContext, 'database' | 'wakeups' | 'spans'>,
  { run_id, reason }: CancelSelection,
  which: string,
  params: string[],
): Promise<EndedWait[]> {
  const open = await tx.lock<ClaimRef & { agent_id: string | null; state: string }>({
    ...ACTIVITY,
    columns: 'activity_id, epoch, agent_id, state',
    where: which,
    params,
  });
  if (open.length === 0) return [];
  const now = store.database.now();
  await tx.write(
    `UPDATE runs_activities SET state = 'cancelled', deadline = NULL, agent_id = NULL, finished_at = ? WHERE ${which}`,
    [now, ...params],
  );
  tx.skipConflictGuard(
    ACTIVITY.table,
    open.map(({ activity_id }) => [activity_id]),
  );
  for (const { activity_id, state } of open)
    store.spans?.activitiesEnded(tx, [activity_id], state === 'claimed' ? 'cancelled' : undefined);
  tx.afterCommit(() => {
    // The agent of one that is parked may have kept its program.
    for (const { activity_id, epoch, agent_id, state } of open)
      if (agent_id !== null || (state === 'parked' && epoch > 0))
        store.wakeups.revoked({ activity_id, epoch, agent_id, reason });
  });
  const ended: EndedWait[] = [];
  const parked = open.filter(({ state }) => state === 'parked').map(({ activity_id }) => activity_id);
  for (const ids of chunks(parked)) ended.push(...(await cancelWaits(tx, run_id, ids, now)));
  return ended;
}

async function cancelWaits(
  tx: Transaction,
  run_id: string,
  activity_ids: readonly string[],
  now: number,
): Promise<EndedWait[]> {
  const list = inList(activity_ids);
  const armed = `run_id = ? AND activity_id IN ${list.placeholders} AND COALESCE(state, '') = 'armed'`;
  const waits = await tx.read<EndedWait>(`SELECT run_id, activity_id, position, kind FROM runs_waits WHERE ${armed}`, [
    run_id,
    ...list.params,
  ]);
  await tx.write(`UPDATE runs_waits SET state = 'cancelled', ended_at = ? WHERE ${armed}`, [
    now,
    run_id,
    ...list.params,
  ]);
  return waits;
}
