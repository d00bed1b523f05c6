import {
  isServiceError,
  distinct,
  inList,
  inState,
  chunks,
  type Transaction,
} from '../../../../../kernel/contracts/index.ts';
import { type Capabilities, type Claimed, ISOLATES, type SlotBounds } from '../../contract.ts';
import { type Completions, completeActivity } from '../end/complete.ts';
import {
  resolveEnvelope,
  type RunEnvironmentRow,
  openRunEnvironment,
  type LockedRun,
  isTerminal,
  lockRuns,
  writeExactly,
  RUN,
  resolveReference,
} from '../rows/runs.ts';
import { readLastTried } from '../journal/attempt.ts';
import { readJournal } from '../rows/journal.ts';
import type { StoreContext } from '../rows/context.ts';
import { openSpec, parseJson } from '../rows/sealing.ts';
import { recordBytes } from '../rows/usage.ts';
import { ACTIVITY, type ClaimedActivity } from '../rows/activities.ts';
import { type Candidate, findCandidates, QueuePositions } from './queues.ts';
import { startRuns } from '../end/end-run.ts';

/**
 * Hands out activities with their journals. Claims of one process are serialised: they want the same oldest rows, and
 * would only wait for each other in the database.
 */
export class Claims {
  readonly #store: StoreContext;
  readonly #completions: Completions;
  readonly #positions = new QueuePositions();
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: StoreContext, completions: Completions) {
    this.#store = store;
    this.#completions = completions;
  }

  async claim(by: Capabilities, limit: number, lease_ms: number): Promise<Claimed[]> {
    if (!(limit >= 1)) return [];
    const claims = await this.#serialize(() =>
      claimActivities(this.#store, this.#positions, by, Math.trunc(limit), lease_ms),
    );
    let complete: (Claimed | undefined)[] = [];
    try {
      complete = await Promise.all(claims.map((claim) => this.#complete(claim)));
    } finally {
      for (const [nth, { activity_id }] of claims.entries()) if (!complete[nth]) by.slots?.giveBack(activity_id);
    }
    return complete.filter((claim) => claim !== undefined);
  }

  /** Completes a claim that was made in the transaction which added its activity. Undefined when it is over by now. */
  async load(claim: ClaimedActivity): Promise<Claimed | undefined> {
    if (claim.created) return this.#complete(claim);
    const [row] = await this.#store.database.read<RunEnvironmentRow & { envelope: string }>(
      `SELECT r.run_id, r.org_id, r.project_id, r.subject, r.generation, r.env, r.credentials, r.envelope
       FROM runs_runs r JOIN runs_activities a ON a.run_id = r.run_id
       WHERE a.activity_id = ? AND COALESCE(a.state, '') = 'claimed' AND a.epoch = ?`,
      [claim.activity_id, claim.epoch],
    );
    if (!row) return undefined;
    return this.#complete({ ...claim, envelope: parseJson(row.envelope) as Claimed['envelope'] }, row);
  }

  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => {});
    return result;
  }

  /**
   * Adds the envelope, the spec and the journal. When one of them cannot be opened, the activity fails, and no other claim
   * with it.
   */
  async #complete(claim: ClaimedActivity, environment?: RunEnvironmentRow): Promise<Claimed | undefined> {
    const { database, sealer, owners, queues, run_environments, spans, journal_sizes } = this.#store;
    const { rerun, stored_spec, tried_position, run_trace, coordinated, created, ...claimed } = claim;
    const { activity_id, run_id, org_id, project_id, trusted } = claim;
    const owner = { activity_id, run_id, org_id, project_id, coordinated, trusted };
    owners.remember(owner);
    try {
      await sealer.prepare(org_id);
      const envelope = created
        ? await resolveReference(this.#store, created.envelope, claim)
        : await resolveEnvelope(this.#store, claim);
      const spec = created ? created.spec : openSpec(this.#store, claim, activity_id, stored_spec);
      const journal = claim.pass === 0 && !rerun ? [] : await readJournal(database, sealer, owner);
      const journal_bytes = journal.reduce((bytes, record) => bytes + recordBytes(record), 0);
      if (trusted) journal_sizes.set(activity_id, journal_bytes);
      const tried =
        tried_position !== null && tried_position === journal.length
          ? await readLastTried(database, owner, tried_position, database.now())
          : undefined;
      const trace = spans?.claimed({ ...claim, trace: run_trace });
      // Executors inside the server prepare their activities without an environment.
      if (!queues.isInProcess(claim.executor)) {
        if (created) run_environments.set(run_id, created.environment);
        else if (environment) run_environments.set(run_id, openRunEnvironment(sealer, environment));
      }
      return { ...claimed, spec, envelope, journal, ...(tried && { tried }), ...(trace && { trace }) };
    } catch (error) {
      if (!isServiceError(error, 'sealed_value_unreadable') && !isServiceError(error, 'envelope_gone')) throw error;
      const message = `the journal, the spec or the input cannot be read: ${error.message}`;
      await completeActivity(this.#store, this.#completions, claim, { status: 'failed', code: error.code, message });
      return undefined;
    }
  }
}

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
const RIVAL_GRACE_MS = 100;
const ROUNDS = 4;

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
 * Claims up to `limit` activities, those of trusted runs first and of each kind the oldest. Runs are locked before their
 * activities. The first round skips runs that others hold, so that servers do not queue behind each other; later rounds
 * wait for them, so that nothing is missed. Correct on databases that ignore SKIP LOCKED.
 */
async function claimActivities(
  store: StoreContext,
  positions: QueuePositions,
  by: Capabilities,
  limit: number,
  lease_ms: number,
): Promise<ClaimedActivity[]> {
  const claimed: ClaimedActivity[] = [];
  const prepared = new Set<string>();
  try {
    for (let round = 0; round < ROUNDS && claimed.length < limit; ) {
      const wanted = limit - claimed.length;
      const certifies = store.database.usesCommitCertification();
      const most = Math.min(Math.max(wanted * SPARE, certifies ? SPREAD : 0), MAX_COUNT);
      const rest = { ...by, untrusted_room: remainingUntrusted(by, claimed) };
      const until = store.database.now() + CLOCK_SLACK_MS;
      const oldest = await findCandidates(store.database, rest, most, until, positions);
      const candidates = certifies ? withoutRivals(store, oldest) : oldest;
      if (candidates.length === 0) break;
      // Observers of a run's start may seal, and no key can be loaded inside the transaction.
      for (const { org_id } of candidates) {
        if (!prepared.has(org_id)) await store.sealer.prepare(org_id);
        prepared.add(org_id);
      }
      const reservations = new SlotReservations(by.slots);
      const rules = { lease_ms, skip: round === 0, reservations };
      const batch = await claimCandidates(store, rest, candidates, wanted, rules);
      claimed.push(...batch);
      if (batch.length === candidates.length && candidates.length < most) break;
      // The next read leaves out runs and projects without free slots: other work may be queued behind theirs.
      if (!reservations.full || batch.length === 0) round += 1;
    }
  } catch (error) {
    // These claims expire, and the next claim of each activity counts its slot again.
    for (const { activity_id } of claimed) by.slots?.giveBack(activity_id);
    throw error;
  }
  return claimed;
}

/** How many more activities of untrusted runs it may get. */
const remainingUntrusted = ({ untrusted_room = Infinity }: Capabilities, taken: readonly ClaimedActivity[]): number =>
  Math.max(0, untrusted_room - taken.filter(({ trusted }) => !trusted).length);

/** The first so many, no more of untrusted runs than there is room for, and of no run or project more than it may have. */
function reserveSlots(
  candidates: readonly Candidate[],
  count: number,
  untrusted_room: number,
  reservations: SlotReservations,
): Candidate[] {
  const reserved: Candidate[] = [];
  let untrusted_left = untrusted_room;
  for (const candidate of candidates) {
    if (reserved.length === count) break;
    if ((candidate.untrusted && untrusted_left <= 0) || !reservations.reserve(candidate)) continue;
    if (candidate.untrusted) untrusted_left -= 1;
    reserved.push(candidate);
  }
  return reserved;
}

/** The slots of runs and projects that one transaction has reserved. */
class SlotReservations {
  /** True once a run or a project had no slot left. */
  full = false;
  readonly #slots: SlotBounds | undefined;
  readonly #reserved = new Set<string>();

  constructor(slots: SlotBounds | undefined) {
    this.#slots = slots;
  }

  reserve({ activity_id, run_id, project_id, untrusted }: Candidate): boolean {
    if (!this.#slots) return true;
    if (this.#slots.take({ activity_id, run_id, project_id, trusted: !untrusted })) {
      this.#reserved.add(activity_id);
      return true;
    }
    this.full = true;
    return false;
  }

  /** Releases the slots of all other activities. */
  releaseOthers(claims: readonly ClaimedActivity[]): void {
    const kept = new Set(claims.map(({ activity_id }) => activity_id));
    for (const activity_id of this.#reserved) {
      if (kept.has(activity_id)) continue;
      this.#reserved.delete(activity_id);
      this.#slots?.giveBack(activity_id);
    }
  }
}

/**
 * First what this server made claimable itself, the oldest first. Then what others did, but not just now: they are
 * claiming it, and begin with their oldest, so that this begins anywhere among the younger half. Trusted work stays first.
 */
function withoutRivals(store: StoreContext, oldest: readonly Candidate[]): readonly Candidate[] {
  const ripe = store.database.now() - RIVAL_GRACE_MS;
  const own = oldest.filter(({ activity_id }) => store.owners.has(activity_id));
  const others = oldest.filter(({ activity_id, due }) => due <= ripe && !store.owners.has(activity_id));
  if (own.length + others.length < oldest.length) store.pollLater(RIVAL_GRACE_MS);
  const skip = Math.floor(others.length / 2);
  const from = skip + (store.ids.bytes(2).readUInt16BE(0) % Math.max(1, others.length - skip));
  const inOrder = [...own, ...others.slice(from), ...others.slice(0, from)];
  return inOrder.toSorted((a, b) => Number(a.untrusted) - Number(b.untrusted));
}

/** Work of an earlier version of svc may stand in a queue that does not ask for isolation. */
const mayClaim = (store: StoreContext, by: Capabilities, { executor }: PendingRow, run: ClaimRun): boolean =>
  run.trusted === 1 || store.queues.isInProcess(executor) || by.capabilities.includes(ISOLATES);

interface ClaimRules {
  lease_ms: number;
  skip: boolean;
  reservations: SlotReservations;
}

/** One transaction. When the answer to its commit is lost, its claims are found by agent and epoch. */
async function claimCandidates(
  store: StoreContext,
  by: Capabilities,
  candidates: readonly Candidate[],
  wanted: number,
  rules: ClaimRules,
): Promise<ClaimedActivity[]> {
  const { reservations } = rules;
  let claims: ClaimedActivity[] = [];
  let committed: ClaimedActivity[] = [];
  try {
    await store.database.transaction(async (tx) => {
      claims = [];
      reservations.releaseOthers(claims);
      for (let rest = candidates; claims.length < wanted; ) {
        const slice = reserveSlots(rest, wanted - claims.length, remainingUntrusted(by, claims), reservations);
        if (slice.length === 0) break;
        claims.push(...(await claimSlice(tx, store, by, slice, rules)));
        reservations.releaseOthers(claims);
        rest = rest.filter((candidate) => !slice.includes(candidate));
        // All runs must be locked before all activities, or two servers can wait for each other.
        if (!rules.skip) break;
      }
    });
    committed = claims;
  } catch (error) {
    if (!isServiceError(error, 'commit_unknown')) throw error;
    committed = await readStillClaimed(store, by, claims);
  } finally {
    reservations.releaseOthers(committed);
  }
  return committed;
}

async function claimSlice(
  tx: Transaction,
  store: StoreContext,
  by: Capabilities,
  slice: readonly Candidate[],
  rules: ClaimRules,
): Promise<ClaimedActivity[]> {
  const locked = await lockRuns<ClaimRun>(
    tx,
    slice.map(({ run_id }) => run_id),
    { skip: rules.skip, columns: RUN_COLUMNS },
  );
  // A run that ends or is cancelled changes its pending activities too, so that a claim need write no run that has started.
  tx.skipConflictGuard(
    RUN.table,
    [...locked.keys()].map((run_id) => [run_id]),
  );
  const open = slice.filter(({ run_id }) => locked.has(run_id) && !isTerminal(locked.get(run_id)!));
  const pending = (await lockPending(tx, open)).filter((row) => mayClaim(store, by, row, locked.get(row.run_id)!));
  if (pending.length === 0) return [];
  const now = store.database.now();
  const list = inList(pending.map(({ activity_id }) => activity_id));
  await writeExactly(
    tx,
    pending.length,
    `UPDATE runs_activities SET state = 'claimed', agent_id = ?, epoch = epoch + 1, passes = passes + 1, deadline = ?
     WHERE ${inState('pending')} AND activity_id IN ${list.placeholders}`,
    [by.agent_id, now + rules.lease_ms, ...list.params],
  );
  tx.skipConflictGuard(
    ACTIVITY.table,
    pending.map(({ activity_id }) => [activity_id]),
  );
  const runs = distinct(pending, ({ run_id }) => run_id).map((run_id) => locked.get(run_id)!);
  await startRuns(tx, store, runs, now);
  for (const { run_id, project_id } of runs)
    tx.afterCommit(() => store.wakeups.run(run_id, { project_id, part: 'run' }));
  return pending.map((row) => toClaimedActivity(row, locked.get(row.run_id)!, now));
}

/** Locks the candidates that are still pending, in order. */
async function lockPending(tx: Transaction, candidates: readonly Candidate[]): Promise<PendingRow[]> {
  const found = new Map<string, PendingRow>();
  for (const ids of chunks(distinct(candidates, ({ activity_id }) => activity_id))) {
    const list = inList(ids);
    const rows = await tx.lock<PendingRow>({
      ...ACTIVITY,
      columns: 'activity_id, run_id, name, executor, spec, epoch, passes, due, tried_at',
      where: `activity_id IN ${list.placeholders} AND ${inState('pending')}`,
      params: list.params,
    });
    for (const row of rows) found.set(row.activity_id, row);
  }
  return candidates.flatMap(({ activity_id }) => found.get(activity_id) ?? []);
}

function toClaimedActivity(row: PendingRow, run: ClaimRun, now: number): ClaimedActivity {
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
    tried_position: row.tried_at,
    envelope: parseJson(run.envelope) as Claimed['envelope'],
    trusted: run.trusted === 1,
    rerun: run.rerun_of !== null,
    coordinated: run.coordinator !== null,
  };
}

async function readStillClaimed(
  store: StoreContext,
  by: Capabilities,
  claims: readonly ClaimedActivity[],
): Promise<ClaimedActivity[]> {
  if (claims.length === 0) return [];
  const list = inList(claims.map(({ activity_id }) => activity_id));
  const rows = await store.database.read<{ activity_id: string; epoch: number }>(
    `SELECT activity_id, epoch FROM runs_activities
     WHERE ${inState('claimed')} AND agent_id = ? AND activity_id IN ${list.placeholders}`,
    [by.agent_id, ...list.params],
  );
  const valid = new Set(rows.map(({ activity_id, epoch }) => `${activity_id} ${epoch}`));
  return claims.filter(({ activity_id, epoch }) => valid.has(`${activity_id} ${epoch}`));
}
