import {
  distinct,
  inList,
  inState,
  chunks,
  isServiceError,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { type Capabilities, type Claimed, ISOLATES, type SlotBounds } from '../contract.ts';
import { ACTIVITY } from './activity-rows.ts';
import { type Candidate, findCandidates } from './lanes.ts';
import type { StoreParts } from './parts.ts';
import type { LockedRun } from './run-columns.ts';
import { isTerminal, lockRuns, mustChange, parseJson, RUN } from './run-rows.ts';
import { startRuns } from './start-runs.ts';

/**
 * `due` orders the queue and nothing waits for it. Two servers' readings of the database clock differ slightly, so work
 * that one made claimable a moment ago must not look like the future to the other.
 */
const CLOCK_SLACK_MS = 250;

/** More candidates are read than wanted, because others may take some first. */
const SPARE = 4;
const MAX_COUNT = 128;
/**
 * Where a row lock is not seen on other nodes, servers that all took the oldest would abort each other: each begins
 * anywhere among so many.
 */
const SPREAD = 32;
/** So long a server has what it made claimable for itself there. */
const RIPE_MS = 100;
const ROUNDS = 4;

/** Without its journal; a first pass has one only in a rerun. */
export type TakenClaim = Omit<Claimed, 'journal' | 'spec' | 'tried' | 'trace'> & {
  rerun: boolean;
  /** A coordinator decides what comes after it. */
  coordinated: boolean;
  /** As it is stored. */
  stored_spec: string;
  /** The span that started the run. */
  run_trace: string | null;
  /** The position that it has tried last; null: it has tried nothing twice. */
  tried_at: number | null;
};

interface ClaimRun extends LockedRun {
  envelope: string;
  rerun_of: string | null;
}

interface PendingRow {
  activity_id: string;
  run_id: string;
  name: string;
  executor: string;
  spec: string;
  epoch: number;
  passes: number;
  due: number;
  tried_at: number | null;
}

const RUN_COLUMNS = `run_id, org_id, project_id, org, project, workflow, status, subject, tags, trigger_fields, trusted,
  generation, next_seq, coordinator, trigger_name, trace, envelope, rerun_of`;

/**
 * Takes up to `limit` activities, those of trusted runs first and of each kind the oldest. Runs are locked before their
 * activities. The first round skips runs that others hold, so that servers do not queue behind each other; later rounds wait
 * for them, so that nothing is missed. Correct on databases that ignore SKIP LOCKED.
 */
export async function takeClaims(
  store: StoreParts,
  by: Capabilities,
  limit: number,
  lease_ms: number,
): Promise<TakenClaim[]> {
  const taken: TakenClaim[] = [];
  try {
    await takeInto(taken, store, by, limit, lease_ms);
  } catch (error) {
    // They expire, and whoever claims them then counts them.
    for (const { activity_id } of taken) by.slots?.giveBack(activity_id);
    throw error;
  }
  return taken;
}

async function takeInto(
  taken: TakenClaim[],
  store: StoreParts,
  by: Capabilities,
  limit: number,
  lease_ms: number,
): Promise<void> {
  const known = new Set<string>();
  for (let round = 0; round < ROUNDS && taken.length < limit; ) {
    const wanted = limit - taken.length;
    const certifies = store.database.certifies();
    const most = Math.min(Math.max(wanted * SPARE, certifies ? SPREAD : 0), MAX_COUNT);
    const rest = { ...by, untrusted_room: roomLeft(by, taken) };
    const oldest = await findCandidates(
      store.database,
      rest,
      most,
      store.database.now() + CLOCK_SLACK_MS,
      store.windows,
    );
    const candidates = certifies ? withoutRivals(store, oldest) : oldest;
    if (candidates.length === 0) break;
    // Observers of a run's start may seal, and no key can be loaded inside the transaction.
    for (const { org_id } of candidates) {
      if (!known.has(org_id)) await store.sealer.prepare(org_id);
      known.add(org_id);
    }
    const places = new Places(by.slots);
    const got = await takeOf(store, rest, candidates, wanted, { lease_ms, skip: round === 0, places });
    taken.push(...got);
    if (got.length === candidates.length && candidates.length < most) break;
    // What is full since these were read is left out of the next look, and others may stand behind it.
    if (!places.refused || got.length === 0) round += 1;
  }
}

/** How many more activities of untrusted runs it may get. */
const roomLeft = ({ untrusted_room = Infinity }: Capabilities, taken: readonly TakenClaim[]): number =>
  Math.max(0, untrusted_room - taken.filter(({ trusted }) => !trusted).length);

/** The first so many, no more of untrusted runs than there is room for, and of no run or project more than it may have. */
function withinRoom(
  candidates: readonly Candidate[],
  count: number,
  untrusted_room: number,
  places: Places,
): Candidate[] {
  const fitting: Candidate[] = [];
  let left = untrusted_room;
  for (const one of candidates) {
    if (fitting.length === count) break;
    if ((one.untrusted && left <= 0) || !places.take(one)) continue;
    if (one.untrusted) left -= 1;
    fitting.push(one);
  }
  return fitting;
}

/** What one transaction takes of the slots that runs and projects may have. */
class Places {
  /** A run or a project had as many as it may. */
  refused = false;
  readonly #slots: SlotBounds | undefined;
  readonly #taken = new Set<string>();

  constructor(slots: SlotBounds | undefined) {
    this.#slots = slots;
  }

  take({ activity_id, run_id, project_id, untrusted }: Candidate): boolean {
    if (!this.#slots) return true;
    if (this.#slots.take({ activity_id, run_id, project_id, trusted: !untrusted })) {
      this.#taken.add(activity_id);
      return true;
    }
    this.refused = true;
    return false;
  }

  /** Gives back what was taken, except for these. */
  keepOnly(claims: readonly TakenClaim[]): void {
    const kept = new Set(claims.map(({ activity_id }) => activity_id));
    for (const activity_id of this.#taken) {
      if (kept.has(activity_id)) continue;
      this.#taken.delete(activity_id);
      this.#slots?.giveBack(activity_id);
    }
  }
}

/**
 * First what this server made claimable itself, the oldest first. Then what others did, but not just now: they are
 * claiming it, and begin with their oldest, so that this begins anywhere among the younger half. Trusted work stays first.
 */
function withoutRivals(store: StoreParts, oldest: readonly Candidate[]): readonly Candidate[] {
  const ripe = store.database.now() - RIPE_MS;
  const own = oldest.filter(({ activity_id }) => store.owners.knows(activity_id));
  const others = oldest.filter(({ activity_id, due }) => due <= ripe && !store.owners.knows(activity_id));
  if (own.length + others.length < oldest.length) store.workLater(RIPE_MS);
  const skip = Math.floor(others.length / 2);
  const from = skip + (store.ids.bytes(2).readUInt16BE(0) % Math.max(1, others.length - skip));
  const inOrder = [...own, ...others.slice(from), ...others.slice(0, from)];
  return inOrder.toSorted((a, b) => Number(a.untrusted) - Number(b.untrusted));
}

/** Work of an earlier version of svc may stand in a lane that does not ask for isolation. */
const mayTake = (store: StoreParts, by: Capabilities, { executor }: PendingRow, run: ClaimRun): boolean =>
  run.trusted === 1 || store.lanes.isLight(executor) || by.capabilities.includes(ISOLATES);

interface TakeRules {
  lease_ms: number;
  skip: boolean;
  places: Places;
}

/** One transaction. When the answer to its commit is lost, its claims are found by agent and epoch. */
async function takeOf(
  store: StoreParts,
  by: Capabilities,
  candidates: readonly Candidate[],
  wanted: number,
  rules: TakeRules,
): Promise<TakenClaim[]> {
  const { places } = rules;
  let taken: TakenClaim[] = [];
  let claimed: TakenClaim[] = [];
  try {
    await store.database.transaction(async (tx) => {
      taken = [];
      places.keepOnly(taken);
      for (let rest = candidates; taken.length < wanted; ) {
        const slice = withinRoom(rest, wanted - taken.length, roomLeft(by, taken), places);
        if (slice.length === 0) break;
        taken.push(...(await takeSlice(tx, store, by, slice, rules)));
        places.keepOnly(taken);
        rest = rest.filter((one) => !slice.includes(one));
        // All runs must be locked before all activities, or two servers can wait for each other.
        if (!rules.skip) break;
      }
    });
    claimed = taken;
  } catch (error) {
    if (!isServiceError(error, 'commit_unknown')) throw error;
    claimed = await stillHeld(store, by, taken);
  } finally {
    places.keepOnly(claimed);
  }
  return claimed;
}

async function takeSlice(
  tx: Transaction,
  store: StoreParts,
  by: Capabilities,
  slice: readonly Candidate[],
  rules: TakeRules,
): Promise<TakenClaim[]> {
  const locked = await lockRuns<ClaimRun>(
    tx,
    slice.map(({ run_id }) => run_id),
    { skip: rules.skip, columns: RUN_COLUMNS },
  );
  // A run that ends or is cancelled changes its pending activities too, so that a claim need write no run that has started.
  tx.settled(
    RUN.table,
    [...locked.keys()].map((run_id) => [run_id]),
  );
  const open = slice.filter(({ run_id }) => locked.has(run_id) && !isTerminal(locked.get(run_id)!));
  const pending = (await lockPending(tx, open)).filter((row) => mayTake(store, by, row, locked.get(row.run_id)!));
  if (pending.length === 0) return [];
  const now = store.database.now();
  const list = inList(pending.map(({ activity_id }) => activity_id));
  await mustChange(
    tx,
    pending.length,
    `UPDATE runs_activities SET state = 'claimed', agent_id = ?, epoch = epoch + 1, passes = passes + 1, deadline = ?
     WHERE ${inState('pending')} AND activity_id IN ${list.marks}`,
    [by.agent_id, now + rules.lease_ms, ...list.params],
  );
  tx.settled(
    ACTIVITY.table,
    pending.map(({ activity_id }) => [activity_id]),
  );
  const runs = distinct(pending, ({ run_id }) => run_id).map((run_id) => locked.get(run_id)!);
  await startRuns(tx, store, runs, now);
  for (const { run_id, project_id } of runs)
    tx.afterCommit(() => store.wakeups.run(run_id, { project_id, part: 'run' }));
  return pending.map((row) => claimOf(row, locked.get(row.run_id)!, now));
}

/** Locks the candidates that are still pending, in order. */
async function lockPending(tx: Transaction, candidates: readonly Candidate[]): Promise<PendingRow[]> {
  const found = new Map<string, PendingRow>();
  for (const ids of chunks(distinct(candidates, ({ activity_id }) => activity_id))) {
    const list = inList(ids);
    const rows = await tx.lock<PendingRow>({
      ...ACTIVITY,
      columns: 'activity_id, run_id, name, executor, spec, epoch, passes, due, tried_at',
      where: `activity_id IN ${list.marks} AND ${inState('pending')}`,
      params: list.params,
    });
    for (const row of rows) found.set(row.activity_id, row);
  }
  return candidates.flatMap(({ activity_id }) => found.get(activity_id) ?? []);
}

function claimOf(row: PendingRow, run: ClaimRun, now: number): TakenClaim {
  return {
    activity_id: row.activity_id,
    epoch: row.epoch + 1,
    run_id: run.run_id,
    org_id: run.org_id,
    project_id: run.project_id,
    org: run.org,
    project: run.project,
    executor: row.executor,
    name: row.name,
    pass: row.passes,
    waited_ms: Math.max(0, now - row.due),
    stored_spec: row.spec,
    run_trace: run.trace,
    tried_at: row.tried_at,
    envelope: parseJson(run.envelope) as Claimed['envelope'],
    trusted: run.trusted === 1,
    rerun: run.rerun_of !== null,
    coordinated: run.coordinator !== null,
  };
}

async function stillHeld(store: StoreParts, by: Capabilities, taken: readonly TakenClaim[]): Promise<TakenClaim[]> {
  if (taken.length === 0) return [];
  const list = inList(taken.map(({ activity_id }) => activity_id));
  const rows = await store.database.read<{ activity_id: string; epoch: number }>(
    `SELECT activity_id, epoch FROM runs_activities
     WHERE ${inState('claimed')} AND agent_id = ? AND activity_id IN ${list.marks}`,
    [by.agent_id, ...list.params],
  );
  const held = new Set(rows.map(({ activity_id, epoch }) => `${activity_id} ${epoch}`));
  return taken.filter(({ activity_id, epoch }) => held.has(`${activity_id} ${epoch}`));
}
