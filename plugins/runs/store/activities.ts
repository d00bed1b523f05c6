import type { Queries, Transaction } from '../../../kernel/contracts/index.ts';
import type {
  Activities,
  ActivityEnd,
  ActivityScope,
  ChildActivity,
  ClaimRef,
  Completion,
  CopiedActivity,
  Json,
  NewActivity,
  WaitRef,
} from '../contract.ts';
import { normalRequires } from '../domain/capabilities.ts';
import { insertRows } from './batches.ts';
import { laneOf } from './keys.ts';
import type { StoreParts } from './parts.ts';
import { mustChange } from './run-rows.ts';
import { sealed } from './sealing.ts';

const COLUMNS = `activity_id run_id org_id project_id name executor spec lane state epoch passes due created_at
  parent`.split(/\s+/);

const ENDED_COLUMNS = ['finished_at', 'output', 'error_code', 'error_message', 'exit_code'];

/** Notes of the engine's own lie behind all that a pass may write. */
const FIRST_OWN_NOTE = 1_000_000;

/** Activities that come to runs which are under way. */
type ActivityParts = Pick<StoreParts, 'database' | 'sealer' | 'wakeups' | 'ids'>;

export const createActivities = (store: ActivityParts): Activities => ({
  add: (tx, run, activities) => addActivities(tx, store, run, activities),
  copy: (tx, copied) => copyActivity(tx, store, copied),
  end: (tx, run, activity_id) => readEnd(tx, store, run, activity_id),
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
    await tx.write('INSERT INTO runs_annotations (run_id, activity_id, nth, text, written_at) VALUES (?, ?, ?, ?, ?)', [
      run.run_id,
      activity_id,
      (last?.nth ?? FIRST_OWN_NOTE - 1) + 1,
      text,
      store.database.now(),
    ]);
  },
});

async function addActivities(
  tx: Transaction,
  store: Pick<StoreParts, 'database' | 'wakeups'>,
  run: ActivityScope,
  activities: readonly (NewActivity | ChildActivity)[],
): Promise<void> {
  const now = store.database.now();
  const rows = [];
  for (const activity of activities) {
    const lane = await laneFor(tx, run.org_id, activity.requires);
    const { activity_id, name, executor, spec } = activity;
    const parent = 'parent' in activity ? activity.parent : null;
    const { run_id, org_id, project_id } = run;
    const row = [activity_id, run_id, org_id, project_id, name, executor, JSON.stringify(spec), lane];
    rows.push([...row, 'pending', 0, 0, now, now, parent]);
  }
  await insertRows(tx, 'INSERT INTO runs_activities', COLUMNS, rows);
  tx.afterCommit(() => {
    store.wakeups.work();
    store.wakeups.run(run.run_id);
  });
}

/** The lane of these requirements, which is made when it is new. */
async function laneFor(tx: Transaction, org_id: string, requires: readonly string[]): Promise<string> {
  const normal = normalRequires(requires);
  const lane = laneOf(org_id, normal);
  const known = await tx.read('SELECT 1 AS found FROM runs_lanes WHERE lane = ?', [lane]);
  if (known.length === 0)
    await tx.write(`${tx.sql.insert_ignore} runs_lanes (lane, org_id, requires) VALUES (?, ?, ?)`, [
      lane,
      org_id,
      JSON.stringify(normal),
    ]);
  return lane;
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

async function readEnd(
  on: Pick<Queries, 'read'>,
  store: Pick<StoreParts, 'sealer'>,
  run: ActivityScope,
  id: string,
): Promise<ActivityEnd | undefined> {
  const [row] = await on.read<EndRow>(
    `SELECT activity_id, parent, name, executor, state, output, error_code, error_message FROM runs_activities
     WHERE activity_id = ? AND run_id = ?`,
    [id, run.run_id],
  );
  if (!row || (row.state !== 'done' && row.state !== 'failed')) return undefined;
  const { activity_id, parent, name, executor } = row;
  const whose = { activity_id, parent, name, executor };
  if (row.state === 'failed')
    return {
      ...whose,
      result: { status: 'failed', code: row.error_code ?? 'failed', message: row.error_message ?? '' },
    };
  const place = sealed.activityOutput(run, activity_id);
  const output = row.output === null ? null : (JSON.parse(store.sealer.open(place, row.output).toString()) as Json);
  return { ...whose, result: { status: 'succeeded', output } };
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
  const values = [activity_id, to.run_id, to.org_id, to.project_id, row.name, row.executor, row.spec, row.lane];
  const columns = ended ? [...COLUMNS, ...ENDED_COLUMNS] : COLUMNS;
  await insertRows(tx, 'INSERT INTO runs_activities', columns, [
    [...values, ended ? row.state : 'pending', 0, 0, now, now, parent, ...end],
  ]);
  return activity_id;
}

/** After an activity has ended: a failed one takes its children with it, and the observers hear of it. */
export async function afterEnd(
  tx: Transaction,
  store: StoreParts,
  run: ActivityScope,
  claim: ClaimRef,
  completion: Completion,
): Promise<(WaitRef & { kind: string })[]> {
  const [row] = await tx.read<Omit<EndRow, 'state' | 'output' | 'error_code' | 'error_message'>>(
    'SELECT activity_id, parent, name, executor FROM runs_activities WHERE activity_id = ?',
    [claim.activity_id],
  );
  const waits =
    completion.status === 'failed' ? await cancelChildren(tx, store, run, claim.activity_id, completion.code) : [];
  for (const observer of store.activity_observers) await observer.onEnded(tx, run, { ...row!, result: completion });
  return waits;
}

async function cancelChildren(
  tx: Transaction,
  store: StoreParts,
  run: ActivityScope,
  parent: string,
  code: string,
): Promise<(WaitRef & { kind: string })[]> {
  const open = await tx.read<ClaimRef & { agent_id: string | null }>(
    `SELECT activity_id, epoch, agent_id FROM runs_activities
     WHERE run_id = ? AND state IN ('pending', 'claimed', 'parked') AND parent = ?
     ORDER BY activity_id ${tx.sql.for_update}`,
    [run.run_id, parent],
  );
  const now = store.database.now();
  const ended: (WaitRef & { kind: string })[] = [];
  for (const { activity_id } of open) {
    await mustChange(
      tx,
      1,
      `UPDATE runs_activities SET state = 'cancelled', deadline = NULL, agent_id = NULL, finished_at = ?
       WHERE activity_id = ?`,
      [now, activity_id],
    );
    const waits = await tx.read<WaitRef & { kind: string }>(
      `SELECT run_id, activity_id, position, kind FROM runs_waits
       WHERE run_id = ? AND activity_id = ? AND state = 'armed'`,
      [run.run_id, activity_id],
    );
    await tx.write(
      `UPDATE runs_waits SET state = 'cancelled', ended_at = ? WHERE run_id = ? AND activity_id = ? AND state = 'armed'`,
      [now, run.run_id, activity_id],
    );
    // A child may have children: those of a script that is one.
    ended.push(...waits, ...(await cancelChildren(tx, store, run, activity_id, code)));
  }
  tx.afterCommit(() => {
    for (const { activity_id, epoch, agent_id } of open)
      if (agent_id !== null)
        store.wakeups.revoked({ activity_id, epoch, agent_id, reason: `what asked for it has failed: ${code}` });
  });
  return ended;
}
