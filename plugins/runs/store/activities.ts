import {
  inList,
  inState,
  insertRows,
  chunks,
  type Param,
  type Queries,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type {
  Activities,
  ActivityEnd,
  ActivityScope,
  ChildActivity,
  Completion,
  CopiedActivity,
  NewActivity,
} from '../contract.ts';
import { ACTIVITY, activityRow, insertActivities, type InsertedActivity } from './activity-rows.ts';
import { cancelOpen, withOpenChildren } from './cancel-open.ts';
import type { StoreParts } from './parts.ts';
import { beginningOf } from './read-notes.ts';
import type { LockedRun } from './run-columns.ts';
import { mustBe, mustChange, parseJson } from './run-rows.ts';
import { openSpec, sealed, sealJson, sealSpec } from './sealing.ts';
import type { EndedWait } from './tell-kinds.ts';
import { countChildren } from './untrusted-runs.ts';
import { type RowValues, updateRows } from './update-rows.ts';

/** The engine's own notes are stored after all notes of a pass. */
const FIRST_OWN_NOTE = 1_000_000;

type ActivityParts = Pick<StoreParts, 'database' | 'sealer' | 'wakeups' | 'ids' | 'lanes' | 'limits'>;

export const createActivities = (store: ActivityParts): Activities => ({
  add: (tx, run, activities) => addActivities(tx, store, run, activities),
  copy: (tx, copied) => copyActivity(tx, store, copied),
  end: async (tx, run, activity_id) => (await readEnds(tx, store, run, [activity_id])).get(activity_id),
  ends: (on, run, activity_ids) => readEnds(on, store, run, activity_ids),
  outputBytes,
  async noteExit(tx, activity_id, exit_code) {
    await mustChange(tx, 1, `UPDATE runs_activities SET exit_code = ? WHERE activity_id = ? AND state = 'done'`, [
      exit_code,
      activity_id,
    ]);
  },
  async note(tx, run, activity_id, text) {
    const [last] = await tx.read<{ nth: number | null }>(
      'SELECT MAX(nth) AS nth FROM runs_annotations WHERE run_id = ? AND activity_id = ? AND nth >= ?',
      [run.run_id, activity_id, FIRST_OWN_NOTE],
    );
    await insertRows(
      tx,
      'INSERT INTO runs_annotations',
      ['run_id', 'activity_id', 'nth', 'text', 'written_at', 'beginning'],
      [[run.run_id, activity_id, (last?.nth ?? FIRST_OWN_NOTE - 1) + 1, text, store.database.now(), beginningOf(text)]],
    );
  },
});

/**
 * Activities added to runs in progress. Their specs may hold what earlier ones put out, so they are sealed. Throws
 * `run_storage_limit`.
 */
export async function addActivities(
  tx: Transaction,
  store: ActivityParts,
  run: ActivityScope,
  activities: readonly (NewActivity | ChildActivity)[],
): Promise<void> {
  const now = store.database.now();
  const rows: Param[][] = [];
  // Trust never changes, so it is read without a lock.
  const [found] = await tx.read<{ trusted: number }>('SELECT trusted FROM runs_runs WHERE run_id = ?', [run.run_id]);
  const scope = { ...run, trusted: found?.trusted ?? 0 };
  if (scope.trusted === 0) await countChildren(tx, store.limits, run.run_id, activities.length);
  for (const activity of activities)
    rows.push(activityRow(await insertedActivity(tx, store, scope, activity), run, now));
  await insertActivities(tx, rows);
  tx.afterCommit(() => {
    store.wakeups.work();
    store.wakeups.run(run.run_id, { project_id: run.project_id, part: 'steps' });
  });
}

/** The columns of an added activity. */
export async function insertedActivity(
  tx: Transaction,
  store: Pick<StoreParts, 'sealer' | 'lanes'>,
  run: ActivityScope & Pick<LockedRun, 'trusted'>,
  activity: NewActivity | ChildActivity,
): Promise<InsertedActivity> {
  const lane = await store.lanes.laneFor(tx, run.org_id, activity, run.trusted === 1);
  const parent = 'parent' in activity ? activity.parent : null;
  const spec = sealSpec(store, run, activity.activity_id, activity.spec);
  const { activity_id, name, executor, resumed } = activity;
  return { activity_id, name, executor, spec, lane, parent, ...(resumed && { resumed }) };
}

interface EndRow {
  activity_id: string;
  parent: string | null;
  name: string;
  executor: string;
  state: string;
  output: Buffer | null;
  error_code: string | null;
  error_message: string | null;
}

/** An activity that ends, and how. */
export interface WrittenEnd {
  place: ActivityScope & { activity_id: string };
  completion: Completion;
}

const ended = (state: 'done' | 'failed', from: 'claimed' | 'parked', columns: readonly string[], set: string) =>
  updateRows({
    ...{ table: ACTIVITY.table, key: 'activity_id', columns, guard: inState(from) },
    set: `state = '${state}', ${set}, deadline = NULL, agent_id = NULL, finished_at = ?`,
  });
const endedFrom = (from: 'claimed' | 'parked') => ({
  done: ended('done', from, ['output'], 'error_code = NULL, error_message = NULL, exit_code = 0'),
  failed: ended('failed', from, ['error_code', 'error_message', 'exit_code'], 'output = NULL'),
});
const ENDED = { claimed: endedFrom('claimed'), parked: endedFrom('parked') };

/** From a state → done | failed, at most 128. The activities or their runs must be locked, and have the state. */
export async function writeEnds(
  tx: Transaction,
  store: Pick<StoreParts, 'database' | 'sealer' | 'spans'>,
  from: 'claimed' | 'parked',
  ends: readonly WrittenEnd[],
): Promise<void> {
  const done: RowValues[] = [];
  const failed: RowValues[] = [];
  for (const { place, completion } of ends) {
    const { activity_id } = place;
    if (completion.status === 'succeeded')
      done.push([activity_id, sealJson(store, sealed.activityOutput(place, activity_id), completion.output)]);
    else failed.push([activity_id, completion.code, completion.message, completion.exit_code ?? null]);
  }
  const now = store.database.now();
  mustBe(done.length, await ENDED[from].done(tx, [now], done), 'activities');
  mustBe(failed.length, await ENDED[from].failed(tx, [now], failed), 'activities');
  const ids = ends.map(({ place }) => place.activity_id);
  tx.settled(
    ACTIVITY.table,
    ids.map((id) => [id]),
  );
  store.spans?.activitiesEnded(tx, ids, from === 'claimed' ? 'completed' : undefined);
}

/** Results of activities; those that have not ended, or were cancelled, are left out. The org's keys must be ready. */
export async function readEnds(
  on: Pick<Queries, 'read'>,
  store: Pick<StoreParts, 'sealer'>,
  run: ActivityScope,
  activity_ids: readonly string[],
): Promise<Map<string, ActivityEnd>> {
  const ends = new Map<string, ActivityEnd>();
  for (const ids of chunks(activity_ids)) {
    const list = inList(ids);
    const rows = await on.read<EndRow>(
      `SELECT activity_id, parent, name, executor, state, output, error_code, error_message FROM runs_activities
       WHERE activity_id IN ${list.marks} AND run_id = ? AND COALESCE(state, '') IN ('done', 'failed')`,
      [...list.params, run.run_id],
    );
    for (const row of rows) ends.set(row.activity_id, endOf(store, run, row));
  }
  return ends;
}

export async function outputBytes(
  on: Pick<Queries, 'read'>,
  run: ActivityScope,
  activity_ids: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const ids of chunks(activity_ids)) {
    const list = inList(ids);
    const rows = await on.read<{ activity_id: string; bytes: number }>(
      `SELECT activity_id, LENGTH(output) AS bytes FROM runs_activities
       WHERE activity_id IN ${list.marks} AND run_id = ? AND output IS NOT NULL`,
      [...list.params, run.run_id],
    );
    for (const { activity_id, bytes } of rows) found.set(activity_id, Number(bytes));
  }
  return found;
}

function endOf(store: Pick<StoreParts, 'sealer'>, run: ActivityScope, row: EndRow): ActivityEnd {
  const { activity_id, parent, name, executor, output, error_code, error_message } = row;
  const whose = { activity_id, parent, name, executor };
  if (row.state === 'failed')
    return { ...whose, result: { status: 'failed', code: error_code ?? 'failed', message: error_message ?? '' } };
  const place = sealed.activityOutput(run, activity_id);
  const value = output === null ? null : parseJson(store.sealer.open(place, output).toString());
  return { ...whose, result: { status: 'succeeded', output: value } };
}

interface CopyRow extends EndRow {
  spec: string;
  lane: string;
  exit_code: number | null;
  finished_at: number | null;
}

async function copyActivity(
  tx: Transaction,
  store: ActivityParts,
  { from, to, activity_id: old, parent }: CopiedActivity,
): Promise<string> {
  const [row] = await tx.read<CopyRow>(
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
          sealed.activityOutput(to, activity_id),
          store.sealer.open(sealed.activityOutput(from, old), row.output),
        )
      : null;
  const end = ended ? [row.finished_at, output, row.error_code, row.error_message, row.exit_code] : [];
  const { name, executor, lane } = row;
  const spec = sealSpec(store, to, activity_id, openSpec(store, from, old, row.spec));
  const copy = { activity_id, name, executor, spec, lane, state: ended ? row.state : 'pending', parent };
  await insertActivities(tx, [[...activityRow(copy, to, now), ...end]]);
  return activity_id;
}

/**
 * After an activity has ended: cancels the children of a failed one, and calls the observers. Answers the waits that
 * ended with the children.
 */
export const afterEnd = (tx: Transaction, store: StoreParts, run: ActivityScope, end: ActivityEnd) =>
  afterEnds(tx, store, [{ run, end }]);

/** The same for at most 128. */
export async function afterEnds(
  tx: Transaction,
  store: StoreParts,
  ends: readonly { run: ActivityScope; end: ActivityEnd }[],
): Promise<EndedWait[]> {
  const failed = ends.flatMap(({ end }) => (end.result.status === 'failed' ? [end.activity_id] : []));
  const parents = await withOpenChildren(tx, failed);
  const waits: EndedWait[] = [];
  for (const { run, end } of ends) {
    const { activity_id, result } = end;
    if (result.status === 'failed' && parents.has(activity_id)) {
      const reason = `what asked for it has failed: ${result.code}`;
      waits.push(...(await cancelOpen(tx, store, { run_id: run.run_id, activity_ids: [activity_id], reason })));
    }
    for (const observer of store.activity_observers) await observer.onEnded(tx, run, end);
  }
  return waits;
}
