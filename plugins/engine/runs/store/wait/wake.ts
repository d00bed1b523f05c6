import {
  distinct,
  inList,
  type Transaction,
  inState,
  type Param,
  isServiceError,
} from '../../../../../kernel/contracts/index.ts';
import {
  type ActivityEnd,
  type WaitOutcome,
  type WaitRef,
  MAX_WAIT_OUTPUT_BYTES,
  type Claimed,
  type InstantClaimer,
  ISOLATES,
} from '../../contract.ts';
import { checkOutcome } from '../../domain/record-rules.ts';
import { cancelOpen, onActivityEnded } from '../rows/activity-ends.ts';
import { insertRecords, recordOf, sealRecord } from '../rows/journal.ts';
import type { StoreContext } from '../rows/context.ts';
import { updateRunStatus } from '../end/end-run.ts';
import { isPaused, lockRuns, type RunRow, writeExactly, notifyWorkObservers } from '../rows/runs.ts';
import {
  type EndedWait,
  notifyWaitKinds,
  endWaits,
  readWaits,
  removeWaits,
  sealedCall,
  MAX_WAITS,
  type WaitRow,
  openCall,
  NO_CLAIM,
} from '../rows/waits.ts';
import { type DueWait, findDueWaits } from './due-waits.ts';
import { BRANCH_QUEUE, endWaiting } from './park.ts';
import { countOutcomes } from '../rows/usage.ts';
import type { ClaimedActivity } from '../rows/activities.ts';
import { parseJson } from '../rows/sealing.ts';

export interface Resolution {
  state: 'resolved' | 'expired';
  outcome(wait: WaitRow): WaitOutcome | Promise<WaitOutcome>;
}

/**
 * Ends armed waits: writes their records and makes their activities claimable, many in few statements. Answers the waits that
 * this has ended; the others had an outcome before (I9). The orgs' keys must be ready.
 */
export async function resolveWaits(
  tx: Transaction,
  store: StoreContext,
  waits: readonly WaitRef[],
  resolution: Resolution,
): Promise<WaitRow[]> {
  const locked = await lockRuns<WokenRun>(
    tx,
    waits.map(({ run_id }) => run_id),
    { columns: WOKEN_COLUMNS },
  );
  const ended: WaitRow[] = [];
  for (let from = 0; from < waits.length; from += MAX_WAITS)
    ended.push(...(await resolveBatch(tx, store, locked, waits.slice(from, from + MAX_WAITS), resolution)));
  return ended;
}

async function resolveBatch(
  tx: Transaction,
  store: StoreContext,
  locked: ReadonlyMap<string, WokenRun>,
  waits: readonly WaitRef[],
  { state, outcome }: Resolution,
): Promise<WaitRow[]> {
  const armed = (await readWaits(tx, waits)).filter((wait) => wait.state === 'armed');
  if (armed.length === 0) return [];
  const now = store.database.now();
  const [pauses, waiting] = partition(armed, ({ kind }) => store.wait_kinds.get(kind)?.pause === true);
  await removeWaits(tx, pauses);
  const outcomes: WaitOutcome[] = [];
  for (const wait of waiting) outcomes.push(await outcome(wait));
  const ended = await endWaits(tx, waiting, state, now);
  if (ended !== waiting.length) throw new Error(`${ended} waits ended instead of ${waiting.length}`);
  const records = waiting.map((wait, i) => {
    const result = outcomes[i]!;
    checkOutcome(result, MAX_WAIT_OUTPUT_BYTES);
    return sealRecord(store.sealer, wait, wait.epoch, recordOf(sealedCall(wait), result));
  });
  await insertRecords(tx, records, now, store);
  const unclaimed = waiting.flatMap((wait, i) => (wait.epoch === NO_CLAIM ? [{ wait, outcome: outcomes[i]! }] : []));
  // Before the activity that waited ends, and perhaps its run with it, which cannot succeed while something is open.
  const left = await cancelBranches(tx, store, armed);
  const claimed = armed.filter(({ epoch }) => epoch !== NO_CLAIM);
  if (claimed.length > 0) await wakeActivities(tx, store, claimed, locked, now);
  if (unclaimed.length > 0) await endWaitingActivities(tx, store, unclaimed, locked);
  await notifyWaitKinds(tx, store, left.length === 0 ? armed : [...armed, ...left]);
  // After all locks on runs and activities.
  await countOutcomes(
    tx,
    waiting.flatMap(({ run_id }, i) => (locked.get(run_id)?.trusted === 0 ? [{ run_id, outcome: outcomes[i]! }] : [])),
  );
  return armed;
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [matching: T[], others: T[]] {
  const matching: T[] = [];
  const others: T[] = [];
  for (const item of items) (test(item) ? matching : others).push(item);
  return [matching, others];
}

interface ResolvedWait {
  wait: WaitRow;
  outcome: WaitOutcome;
}

interface WaitingRow {
  activity_id: string;
  name: string;
  parent: string | null;
  lane: string;
}

/** The first branch that has ended ends the wait of its parent. Several may have ended in one transaction. */
async function endParentWaits(
  tx: Transaction,
  store: StoreContext,
  branches: readonly ResolvedWait[],
  activities: ReadonlyMap<string, WaitingRow>,
  locked: ReadonlyMap<string, WokenRun>,
): Promise<void> {
  const first = new Map<string, ResolvedWait>();
  for (const branch of branches) {
    const row = activities.get(branch.wait.activity_id)!;
    await endWaiting(tx, store, branch.wait, row, branch.outcome);
    if (!first.has(row.parent!)) first.set(row.parent!, branch);
  }
  for (const [parent, { wait, outcome }] of first) {
    const [armed] = await tx.read<WaitRef & { kind: string }>(
      `SELECT run_id, activity_id, position, kind FROM runs_waits WHERE run_id = ? AND activity_id = ? AND ${inState('armed')}`,
      [wait.run_id, parent],
    );
    const kind = armed && store.wait_kinds.get(armed.kind)?.firstOf;
    if (!kind) continue;
    const { name } = activities.get(wait.activity_id)!;
    await resolveBatch(tx, store, locked, [armed], {
      state: 'resolved',
      outcome: () => kind.outcomeOf(name, outcome),
    });
  }
}

/** Cancels what is left of waits for the first of several things. Answers the waits of these activities. */
async function cancelBranches(tx: Transaction, store: StoreContext, ended: readonly WaitRow[]): Promise<EndedWait[]> {
  const waits = ended.filter(({ kind }) => store.wait_kinds.get(kind)?.firstOf !== undefined);
  const left: EndedWait[] = [];
  for (const { run_id, activity_id } of waits) {
    const branches = await tx.read<{ activity_id: string }>(
      `SELECT activity_id FROM runs_activities WHERE parent = ? AND lane = ? AND ${inState('parked')}`,
      [activity_id, BRANCH_QUEUE],
    );
    const activity_ids = branches.map((branch) => branch.activity_id);
    if (activity_ids.length > 0)
      left.push(...(await cancelOpen(tx, store, { run_id, activity_ids, reason: 'something else came first' })));
  }
  return left;
}

/** Activities that consist of a wait end with it. All of them end before the coordinators of their runs are called. */
async function endWaitingActivities(
  tx: Transaction,
  store: StoreContext,
  resolved: readonly ResolvedWait[],
  locked: ReadonlyMap<string, WokenRun>,
): Promise<void> {
  const list = inList(distinct(resolved, ({ wait }) => wait.activity_id));
  const rows = await tx.read<WaitingRow>(
    `SELECT activity_id, name, parent, lane FROM runs_activities WHERE activity_id IN ${list.placeholders}`,
    list.params,
  );
  const activities = new Map(rows.map((row) => [row.activity_id, row]));
  const isBranch = ({ wait }: ResolvedWait) => activities.get(wait.activity_id)!.lane === BRANCH_QUEUE;
  const branches = resolved.filter(isBranch);
  const ends = new Map<string, ActivityEnd[]>();
  for (const { wait, outcome } of resolved.filter((one) => !isBranch(one))) {
    const end = await endWaiting(tx, store, wait, activities.get(wait.activity_id)!, outcome);
    ends.set(wait.run_id, [...(ends.get(wait.run_id) ?? []), end]);
  }
  if (branches.length > 0) await endParentWaits(tx, store, branches, activities, locked);
  for (const [run_id, run] of await lockRuns(tx, [...ends.keys()])) {
    const waits = [];
    for (const end of ends.get(run_id)!) waits.push(...(await onActivityEnded(tx, store, run, end)));
    await updateRunStatus(tx, store, run, {
      waits,
      async work(coordinator, held) {
        for (const end of ends.get(run_id)!) await coordinator.ended(tx, held, end);
      },
    });
  }
}

interface ParkedRow {
  activity_id: string;
  run_id: string;
  org_id: string;
  project_id: string;
  org: string;
  project: string;
  name: string;
  executor: string;
  spec: string;
  epoch: number;
  passes: number;
  tried_at: number | null;
  trusted: number;
  coordinator: string | null;
  trace: string | null;
  /** JSON. */
  requires: string;
}

interface EagerWake {
  claimer: InstantClaimer;
  row: ParkedRow;
}

/** The columns of a run that is locked in order to wake it. */
const WOKEN_COLUMNS = 'run_id, org_id, project_id, status, trigger_name, trusted, paused_at';
type WokenRun = Pick<RunRow, 'run_id' | 'org_id' | 'project_id' | 'status' | 'trigger_name' | 'trusted' | 'paused_at'>;

/**
 * Wakes parked activities. Those for which a claimer of this process has capacity are claimed at once, as new work is; the
 * others go to the end of their queues. Their runs are running again.
 */
async function wakeActivities(
  tx: Transaction,
  store: StoreContext,
  waits: readonly WaitRow[],
  locked: ReadonlyMap<string, WokenRun>,
  now: number,
): Promise<void> {
  const ids = distinct(waits, ({ activity_id }) => activity_id);
  // The next claim puts off what belongs to paused runs. A run that is queued starts with its first claim, which announces that.
  const isPostponed = ({ run_id }: WaitRow) => {
    const run = locked.get(run_id);
    return run !== undefined && (isPaused(run) || run.status === 'queued');
  };
  const eligible = waits.some(isPostponed)
    ? distinct(
        waits.filter((wait) => !isPostponed(wait)),
        ({ activity_id }) => activity_id,
      )
    : ids;
  const claims = await claimEagerly(tx, store, eligible);
  for (const { claimer, row } of claims)
    await unpark(
      tx,
      "state = 'claimed', agent_id = ?, deadline = ?, epoch = epoch + 1, passes = passes + 1",
      [claimer.agent_id, now + claimer.lease_ms],
      { ids: [row.activity_id], now },
    );
  const claimed = new Set(claims.map(({ row }) => row.activity_id));
  const rest = ids.filter((id) => !claimed.has(id));
  if (rest.length > 0) await unpark(tx, "state = 'pending'", [], { ids: rest, now });
  const projects = new Map(waits.map(({ run_id, project_id }) => [run_id, project_id]));
  const runs = inList([...projects.keys()]);
  await tx.write(
    `UPDATE runs_runs SET status = 'running' WHERE status = 'waiting' AND run_id IN ${runs.placeholders}`,
    runs.params,
  );
  const woken = [...projects.keys()].flatMap((run_id) => locked.get(run_id) ?? []);
  const waiting = woken.filter(({ status }) => status === 'waiting');
  await notifyWorkObservers(
    tx,
    store,
    waiting.map((run) => ({ run, working: true })),
  );
  tx.afterCommit(() => {
    for (const { claimer, row } of claims) store.eager.deliver(claimer, wokenClaim(row));
    if (rest.length > 0) store.wakeups.work();
    for (const [run_id, project_id] of projects) store.wakeups.run(run_id, { project_id, part: 'run' });
  });
}

async function unpark(
  tx: Transaction,
  set: string,
  params: readonly Param[],
  { ids, now }: { ids: readonly string[]; now: number },
): Promise<void> {
  const list = inList(ids);
  await writeExactly(
    tx,
    ids.length,
    `UPDATE runs_activities SET ${set}, due = ? WHERE ${inState('parked')} AND activity_id IN ${list.placeholders}`,
    [...params, now, ...list.params],
  );
}

/** Reads no more activities than claimers have capacity for, because one event may wake thousands. */
async function claimEagerly(tx: Transaction, store: StoreContext, ids: readonly string[]): Promise<EagerWake[]> {
  const first = ids.slice(0, store.eager.capacity());
  if (first.length === 0) return [];
  const list = inList(first);
  const rows = await tx.read<ParkedRow>(
    `SELECT a.activity_id, a.run_id, a.org_id, a.project_id, r.org, r.project, a.name, a.executor, a.spec, a.epoch,
     a.passes, a.tried_at, r.trusted, r.coordinator, r.trace, l.requires FROM runs_activities a JOIN runs_runs r ON r.run_id = a.run_id
     JOIN runs_lanes l ON l.lane = a.lane WHERE a.activity_id IN ${list.placeholders}`,
    list.params,
  );
  return rows.flatMap((row) => {
    const { activity_id, name, executor } = row;
    const work = { activity_id, name, executor, spec: null, requires: requirementsOf(store, row) };
    const claimer = store.eager.claimerFor(row, work, row.trusted === 1);
    return claimer ? [{ claimer, row }] : [];
  });
}

/** Work of an earlier version of svc may stand in a queue that does not ask for isolation. */
function requirementsOf(store: StoreContext, { executor, requires, trusted }: ParkedRow): string[] {
  const required = parseJson(requires) as string[];
  const complete = trusted === 1 || store.queues.isInProcess(executor) || required.includes(ISOLATES);
  return complete ? required : [...required, ISOLATES];
}

/** The envelope is read when the claim is completed. */
function wokenClaim(row: ParkedRow): ClaimedActivity {
  const { activity_id, run_id, org_id, project_id, org, project, name, executor } = row;
  return {
    activity_id,
    run_id,
    org_id,
    project_id,
    org,
    project,
    name,
    executor,
    epoch: row.epoch + 1,
    pass: row.passes,
    waited_ms: 0,
    rerun: false,
    stored_spec: row.spec,
    run_trace: row.trace,
    tried_position: row.tried_at,
    envelope: {} as Claimed['envelope'],
    trusted: row.trusted === 1,
    coordinated: row.coordinator !== null,
  };
}

/** Expires waits whose deadline has passed by the database's clock. Answers how many, and the next deadline. */
export async function resolveDue(
  store: StoreContext,
  limit: number,
): Promise<{ resolved: number; next: number | null }> {
  const most = Math.max(1, Math.min(Math.trunc(limit), MAX_WAITS));
  const due = await findDueWaits(store.database, most);
  const resolved = due.length === 0 ? 0 : await expireWaits(store, due);
  const [next] = await store.database.read<{ deadline: number }>(
    `SELECT deadline FROM runs_waits WHERE state = 'armed' AND deadline IS NOT NULL ORDER BY deadline LIMIT 1`,
  );
  return { resolved, next: next?.deadline ?? null };
}

async function expireWaits(store: StoreContext, due: readonly DueWait[]): Promise<number> {
  for (const org_id of distinct(due, (wait) => wait.org_id)) await store.sealer.prepare(org_id);
  const ended = await store.database.transaction((tx) =>
    resolveWaits(tx, store, due, { state: 'expired', outcome: (wait) => expiryOutcome(tx, store, wait) }),
  );
  return ended.length;
}

/** A wait whose kind is missing or throws must not block the timers of all others. */
async function expiryOutcome(tx: Transaction, store: StoreContext, wait: WaitRow): Promise<WaitOutcome> {
  const kind = store.wait_kinds.get(wait.kind);
  const failed = (message: string) => ({ exit_code: 1, output: Buffer.alloc(0), message });
  if (!kind) return failed(`no loaded plugin provides the wait ${wait.kind}`);
  const { org_id, project_id, run_id, activity_id, position, name, armed_at } = wait;
  try {
    const { args } = openCall(store.sealer, wait);
    const expired = { org_id, project_id, run_id, activity_id, position, name, args, armed_at };
    return (await kind.late?.(tx, expired)) ?? (await kind.expire(expired, tx));
  } catch (error) {
    // A database fault ends the whole transaction; it is tried again.
    if (isServiceError(error) && error.status >= 500) throw error;
    return failed(`the end of the wait ${wait.kind} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
