import { distinct, inList, inState, type Param, type Transaction } from '../../../kernel/contracts/index.ts';
import { type Claimed, type InstantClaimer, ISOLATES } from '../contract.ts';
import type { TakenClaim } from './claim.ts';
import type { StoreParts } from './parts.ts';
import type { RunRow } from './run-columns.ts';
import { mustChange, parseJson } from './run-rows.ts';
import { tellWork } from './tell-work.ts';
import type { WaitRow } from './wait-rows.ts';

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

interface Taken {
  claimer: InstantClaimer;
  row: ParkedRow;
}

/** The columns of a run that is locked to be woken. */
export const WOKEN_COLUMNS = 'run_id, org_id, project_id, status, trigger_name, trusted';
export type WokenRun = Pick<RunRow, 'run_id' | 'org_id' | 'project_id' | 'status' | 'trigger_name' | 'trusted'>;

/**
 * parked → claimed where somebody in this process has room, as for new work; the others go to the end of the queue. The
 * runs are running again.
 */
export async function wakeActivities(
  tx: Transaction,
  store: StoreParts,
  waits: readonly WaitRow[],
  locked: ReadonlyMap<string, WokenRun>,
  now: number,
): Promise<void> {
  const ids = distinct(waits, ({ activity_id }) => activity_id);
  const taken = await takenOf(tx, store, ids);
  for (const { claimer, row } of taken)
    await leavePark(
      tx,
      "state = 'claimed', agent_id = ?, deadline = ?, epoch = epoch + 1, passes = passes + 1",
      [claimer.agent_id, now + claimer.lease_ms],
      { ids: [row.activity_id], now },
    );
  const here = new Set(taken.map(({ row }) => row.activity_id));
  const rest = ids.filter((id) => !here.has(id));
  if (rest.length > 0) await leavePark(tx, "state = 'pending'", [], { ids: rest, now });
  const places = new Map(waits.map(({ run_id, project_id }) => [run_id, project_id]));
  const runs = inList([...places.keys()]);
  await tx.write(
    `UPDATE runs_runs SET status = 'running' WHERE status = 'waiting' AND run_id IN ${runs.marks}`,
    runs.params,
  );
  const woken = [...places.keys()].flatMap((run_id) => locked.get(run_id) ?? []);
  const waiting = woken.filter(({ status }) => status === 'waiting');
  await tellWork(
    tx,
    store,
    waiting.map((run) => ({ run, working: true })),
  );
  tx.afterCommit(() => {
    for (const { claimer, row } of taken) store.instant.handOver(claimer, claimOf(row));
    if (rest.length > 0) store.wakeups.work();
    for (const [run_id, project_id] of places) store.wakeups.run(run_id, { project_id, part: 'run' });
  });
}

async function leavePark(
  tx: Transaction,
  set: string,
  params: readonly Param[],
  { ids, now }: { ids: readonly string[]; now: number },
): Promise<void> {
  const list = inList(ids);
  await mustChange(
    tx,
    ids.length,
    `UPDATE runs_activities SET ${set}, due = ? WHERE ${inState('parked')} AND activity_id IN ${list.marks}`,
    [...params, now, ...list.params],
  );
}

/** Looks only at as many as there is room for: one event may wake thousands. */
async function takenOf(tx: Transaction, store: StoreParts, ids: readonly string[]): Promise<Taken[]> {
  const first = ids.slice(0, store.instant.room());
  if (first.length === 0) return [];
  const list = inList(first);
  const rows = await tx.read<ParkedRow>(
    `SELECT a.activity_id, a.run_id, a.org_id, a.project_id, r.org, r.project, a.name, a.executor, a.spec, a.epoch,
     a.passes, a.tried_at, r.trusted, r.coordinator, r.trace, l.requires FROM runs_activities a JOIN runs_runs r ON r.run_id = a.run_id
     JOIN runs_lanes l ON l.lane = a.lane WHERE a.activity_id IN ${list.marks}`,
    list.params,
  );
  return rows.flatMap((row) => {
    const { activity_id, name, executor } = row;
    const work = { activity_id, name, executor, spec: null, requires: requiresOf(store, row) };
    const claimer = store.instant.claimerFor(row, work, row.trusted === 1);
    return claimer ? [{ claimer, row }] : [];
  });
}

/** Work of an earlier version of svc may stand in a lane that does not ask for isolation. */
function requiresOf(store: StoreParts, { executor, requires, trusted }: ParkedRow): string[] {
  const own = parseJson(requires) as string[];
  return trusted === 1 || store.lanes.isLight(executor) || own.includes(ISOLATES) ? own : [...own, ISOLATES];
}

/** The envelope is read when the work goes on. */
function claimOf(row: ParkedRow): TakenClaim {
  const { activity_id, run_id, org_id, project_id, org, project, name, executor } = row;
  return {
    ...{ activity_id, run_id, org_id, project_id, org, project, name, executor },
    ...{ epoch: row.epoch + 1, pass: row.passes, waited_ms: 0, rerun: false },
    stored_spec: row.spec,
    run_trace: row.trace,
    tried_at: row.tried_at,
    envelope: {} as Claimed['envelope'],
    trusted: row.trusted === 1,
    coordinated: row.coordinator !== null,
  };
}
