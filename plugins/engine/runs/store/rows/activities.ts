import {
  distinct,
  inList,
  insertRows,
  chunks,
  type Param,
  type Transaction,
  BoundedMap,
  type Database,
  type Sealer,
  type Queries,
} from '../../../../../kernel/contracts/index.ts';
import {
  type ActivityScope,
  type Claimed,
  type ClaimRef,
  type Completion,
  type HeldRun,
  type Json,
  type RunGuard,
  type RunLimits,
  runNotFound,
} from '../../contract.ts';
import { leaseLost } from '../../errors.ts';
import { type LockedRun, lockRunOf, type RunEnvironment } from './runs.ts';
import { countCalls } from './usage.ts';

export type ActivityState = 'pending' | 'claimed' | 'parked' | 'done' | 'failed' | 'cancelled';

/** The columns of a new activity; a copy of one that has ended sets `ENDED_COLUMNS` too. */
const ACTIVITY_COLUMNS =
  'activity_id run_id org_id project_id name executor spec lane state epoch passes due created_at parent agent_id deadline'.split(
    ' ',
  );
const ENDED_COLUMNS = ['finished_at', 'output', 'error_code', 'error_message', 'exit_code'];
const COPIED_COLUMNS = [...ACTIVITY_COLUMNS, ...ENDED_COLUMNS];

/** How rows of activities are locked. */
export const ACTIVITY = { table: 'runs_activities', key: ['activity_id'] } as const;

export interface InsertedActivity {
  activity_id: string;
  name: string;
  executor: string;
  /** JSON. */
  spec: string;
  lane: string;
  state?: string;
  parent?: string | null;
  /** Present for an activity that is claimed in the transaction that inserts it. */
  claim?: { agent_id: string; deadline: number };
  /** True for an activity that has a journal already, as if it had been claimed once. */
  resumed?: boolean;
}

export function activityRow(activity: InsertedActivity, { run_id, org_id, project_id }: ActivityScope, now: number) {
  const { activity_id, name, executor, spec, lane, claim, state = 'pending', parent = null } = activity;
  const place = [activity_id, run_id, org_id, project_id, name, executor, spec, lane];
  const passes = activity.resumed ? 1 : 0;
  if (!claim) return [...place, state, passes, passes, now, now, parent, null, null];
  return [...place, 'claimed', 1, 1, now, now, parent, claim.agent_id, claim.deadline];
}

/** Inserts rows of `activityRow`. Those of ended activities continue with the values of `ENDED_COLUMNS`. */
export const insertActivities = (tx: Transaction, rows: readonly (readonly Param[])[]): Promise<number> =>
  insertRows(
    tx,
    'INSERT INTO runs_activities',
    rows[0]?.length === ACTIVITY_COLUMNS.length ? ACTIVITY_COLUMNS : COPIED_COLUMNS,
    rows,
  );

/** The columns that fence an agent's write. */
export interface Fence {
  activity_id: string;
  state: ActivityState;
  epoch: number;
  agent_id: string | null;
  due: number;
}

export const FENCE_COLUMNS = 'activity_id, state, epoch, agent_id, due';

/** Locks activities in byte order of their ids. Locks on runs come before these. */
export const lockFences = (tx: Transaction, activity_ids: readonly string[]): Promise<Map<string, Fence>> =>
  lockActivities(tx, activity_ids, FENCE_COLUMNS);

/** A fence, and the last position of the activity's journal. */
interface JournalEnd extends Fence {
  last: number | null;
}

const JOURNAL_END_COLUMNS = `${FENCE_COLUMNS}, (SELECT MAX(j.position) FROM runs_journal j
  WHERE j.run_id = runs_activities.run_id AND j.activity_id = runs_activities.activity_id) AS last`;

/** The same with the ends of their journals, for a database with one writer. */
export const lockJournalEnds = (tx: Transaction, activity_ids: readonly string[]): Promise<Map<string, JournalEnd>> =>
  lockActivities(tx, activity_ids, JOURNAL_END_COLUMNS);

/** A fence, and what observers of an end get to know. */
export interface EndingActivity extends Fence {
  parent: string | null;
  name: string;
  executor: string;
}

/** Locks activities that are about to end. */
export const lockEndingActivities = (
  tx: Transaction,
  activity_ids: readonly string[],
): Promise<Map<string, EndingActivity>> => lockActivities(tx, activity_ids, `${FENCE_COLUMNS}, parent, name, executor`);

async function lockActivities<Row extends Fence>(
  tx: Transaction,
  activity_ids: readonly string[],
  columns: string,
): Promise<Map<string, Row>> {
  const locked = new Map<string, Row>();
  for (const ids of chunks(distinct(activity_ids, (id) => id))) {
    const list = inList(ids);
    const where = `activity_id IN ${list.placeholders}`;
    const rows = await tx.lock<Row>({ ...ACTIVITY, columns, where, params: list.params });
    for (const row of rows) locked.set(row.activity_id, row);
  }
  return locked;
}

export async function lockFence(tx: Transaction, activity_id: string): Promise<EndingActivity> {
  const fence = (await lockEndingActivities(tx, [activity_id])).get(activity_id);
  if (!fence) throw leaseLost(`there is no activity ${activity_id}`);
  return fence;
}

/** True when this is the valid claim of the activity. */
export const hasClaim = (fence: Fence | undefined, claim: ClaimRef): boolean =>
  fence !== undefined && fence.state === 'claimed' && fence.epoch === claim.epoch;

/** True when this claim has ended and nobody has claimed the activity since: a repeat of its last request is not stale. */
export const isLastClaim = (fence: Fence, claim: ClaimRef): boolean =>
  fence.state !== 'claimed' && fence.epoch === claim.epoch;

/** True when this claim has ended its activity with this status, so that a repeat changes nothing. */
export const hasEndedBy = (fence: Fence, claim: ClaimRef, { status }: Pick<Completion, 'status'>): boolean =>
  isLastClaim(fence, claim) && fence.state === (status === 'succeeded' ? 'done' : 'failed');

export const claimLost = (claim: ClaimRef) =>
  leaseLost(`claim ${claim.epoch} of activity ${claim.activity_id} has ended`);

/** The run and org of an activity. They never change. */
export interface ActivityOwner {
  activity_id: string;
  run_id: string;
  org_id: string;
  project_id: string;
}

/** Further traits that never change: whether the run is trusted, and whether a coordinator decides what follows. */
export interface ActivityTraits extends ActivityOwner {
  coordinated: boolean;
  trusted: boolean;
}

/** More than are worked on at a time. With many more, the memory of a server would grow for hours. */
const MAX_CACHED_ACTIVITIES = 2_000;

export const activityNotFound = (activity_id: string) => leaseLost(`there is no activity ${activity_id.slice(0, 64)}`);

/**
 * Finds the run and org of an activity outside of transactions and prepares the org's keys, so that sealing in a
 * transaction never waits for another connection. Keeps a bounded cache.
 */
export class ActivityOwners {
  readonly #cache = new BoundedMap<string, ActivityTraits>(MAX_CACHED_ACTIVITIES);
  readonly #database: Pick<Database, 'read'>;
  readonly #sealer: Sealer;

  constructor(database: Pick<Database, 'read'>, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  remember(activity: ActivityTraits): void {
    this.#cache.set(activity.activity_id, activity);
  }

  /** True for an activity that this server has inserted or claimed recently. */
  has(activity_id: string): boolean {
    return this.#cache.get(activity_id) !== undefined;
  }

  /** Throws `lease_lost` for an activity that does not exist, because nobody can have a claim of it. */
  async find(activity_id: string): Promise<ActivityTraits> {
    const activity = this.#cache.get(activity_id) ?? (await this.#read(activity_id));
    await this.#sealer.prepare(activity.org_id);
    return activity;
  }

  async #read(activity_id: string): Promise<ActivityTraits> {
    const [row] = await this.#database.read<ActivityOwner & { coordinator: string | null; trusted: number | null }>(
      `SELECT a.activity_id, a.run_id, a.org_id, a.project_id, r.coordinator, r.trusted FROM runs_activities a
       LEFT JOIN runs_runs r ON r.run_id = a.run_id WHERE a.activity_id = ?`,
      [activity_id],
    );
    if (!row) throw activityNotFound(activity_id);
    const { coordinator, trusted, ...owner } = row;
    const activity = { ...owner, coordinated: coordinator !== null, trusted: trusted === 1 };
    this.remember(activity);
    return activity;
  }
}

interface RowsUpdate {
  table: string;
  key: string;
  /** The columns for which each row gets a value of its own. */
  columns: readonly string[];
  /** What all rows get, at least one column, with parameters of its own. */
  set: string;
  /** The state that the rows must have, without parameters. */
  guard: string;
}

/** A row's key, and its values in the order of the columns. */
export type RowValues = readonly [key: string, ...values: Param[]];

export type UpdateRows = (
  tx: Pick<Transaction, 'write'>,
  set: readonly Param[],
  rows: readonly RowValues[],
) => Promise<number>;

/**
 * Updates up to 128 rows in one statement. Answers how many rows satisfied the guard. `ELSE` keeps the value of a column where
 * no key matches, and gives servers the type of the parameters.
 */
export function updateRows({ table, key, columns, set, guard }: RowsUpdate): UpdateRows {
  const texts = new Map<number, string>();
  const textOf = (marks: string, size: number): string => {
    const cached = texts.get(size);
    if (cached !== undefined) return cached;
    const cases = Array.from({ length: size }, () => 'WHEN ? THEN ?').join(' ');
    const cases_of = columns.map((column) => `${column} = CASE ${key} ${cases} ELSE ${column} END`);
    const text = `UPDATE ${table} SET ${[...cases_of, set].join(', ')} WHERE ${key} IN ${marks} AND ${guard}`;
    texts.set(size, text);
    return text;
  };
  return async (tx, shared, rows) => {
    if (rows.length === 0) return 0;
    const values = new Map(rows.map(([of, ...own]) => [of, own]));
    const { placeholders, params } = inList(rows.map(([of]) => of));
    const own = columns.flatMap((_, at) => params.flatMap((of) => [of, values.get(of)![at]!]));
    return tx.write(textOf(placeholders, params.length), [...own, ...shared, ...params]);
  };
}

const toHeldRun = ({ trusted, status }: LockedRun): HeldRun => ({ trusted: trusted === 1, status });

/** The locks of runs and claims, for transactions of other plugins. */
export const createRunGuard = (
  database: Pick<Database, 'read'>,
  owners: Pick<ActivityOwners, 'find'>,
  limits: RunLimits,
): RunGuard => ({
  async holdRun(tx, run) {
    return toHeldRun(await lockRunOf(tx, run));
  },
  async holdClaim(tx, run, claim) {
    const locked = await lockRunOf(tx, run);
    if (!hasClaim(await lockFence(tx, claim.activity_id), claim)) throw claimLost(claim);
    return toHeldRun(locked);
  },
  async countStored(tx, { run_id }, { trusted }, bytes) {
    const beyond = trusted ? undefined : await countCalls(tx, limits, run_id, [{ bytes }]);
    if (beyond) throw beyond;
  },
  async endOf({ org_id, project_id, run_id }) {
    const [run] = await database.read<{ finished_at: number | null }>(
      'SELECT finished_at FROM runs_runs WHERE run_id = ? AND org_id = ? AND project_id = ?',
      [run_id, org_id, project_id],
    );
    if (!run) throw runNotFound(run_id);
    return run.finished_at ?? undefined;
  },
  async endedBefore(run_ids, before) {
    const list = inList(run_ids);
    const rows = await database.read<{ run_id: string }>(
      `SELECT run_id FROM runs_runs WHERE run_id IN ${list.placeholders} AND finished_at < ?`,
      [...list.params, before],
    );
    return rows.map(({ run_id }) => run_id);
  },
  async removed(run_ids) {
    const list = inList(run_ids);
    const rows = await database.read<{ run_id: string }>(
      `SELECT run_id FROM runs_runs WHERE run_id IN ${list.placeholders}`,
      list.params,
    );
    const there = new Set(rows.map(({ run_id }) => run_id));
    return run_ids.filter((run_id) => !there.has(run_id));
  },
  async runOf(activity_id, within) {
    const { org_id, project_id, run_id } = await owners.find(activity_id);
    if (within !== undefined && within !== org_id) throw activityNotFound(activity_id);
    return { org_id, project_id, run_id };
  },
});

/** A claim of a run. `deadline` is epoch ms by the database's clock. */
export interface CurrentClaim {
  activity_id: string;
  activity: string;
  agent_id: string;
  deadline: number;
}

/** The claims of a run, in the order in which their leases expire. */
export const readCurrentClaims = (on: Pick<Queries, 'read'>, run_id: string, limit: number): Promise<CurrentClaim[]> =>
  on.read<CurrentClaim>(
    `SELECT activity_id, name AS activity, agent_id, deadline FROM runs_activities
     WHERE run_id = ? AND state = 'claimed' AND agent_id IS NOT NULL AND deadline IS NOT NULL
     ORDER BY deadline, activity_id LIMIT ${limit}`,
    [run_id],
  );

/** What a run and its activity were given, as it was before it was sealed. */
export interface CreatedContents {
  envelope: Claimed['envelope'];
  spec: Json;
  environment: RunEnvironment;
}

/** A claim before its envelope, spec and journal are read. A first pass has a journal only in a rerun. */
export type ClaimedActivity = Omit<Claimed, 'journal' | 'spec' | 'tried' | 'trace'> & {
  rerun: boolean;
  /** True where a coordinator decides what follows the activity. */
  coordinated: boolean;
  /** As it is stored. */
  stored_spec: string;
  /** The span that started the run. */
  run_trace: string | null;
  /** Present where the run was created in the transaction of the claim: then nothing of it is read again. */
  created?: CreatedContents;
  /** The position of the last failed attempt; null without any. */
  tried_position: number | null;
};
