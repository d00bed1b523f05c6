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
  isPaused,
  isTerminal,
  lockRuns,
  writeExactly,
  RUN,
  resolveReference,
} from '../rows/runs.ts';
import { readLastTried } from '../journal/attempt.ts';
import { readJournal } from '../rows/journal.ts';
import type { StoreContext } from '../rows/context.ts';
import { postponePending } from '../pause/postpone.ts';
import { openSpec, parseJson } from '../rows/sealing.ts';
import { recordBytes } from '../rows/usage.ts';
import { ACTIVITY, type ClaimedActivity } from '../rows/activities.ts';
import { type Candidate, findCandidates, QueuePositions } from './queues.ts';
import { startRuns } from '../end/end-run.ts';

/**
 * Claims activities and loads their journals. A process makes its claims one after the other: they begin with the same oldest
 * rows, so in the database they would only wait for each other.
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

  /** Completes a claim that was made in the transaction that added its activity. Returns undefined if the claim has ended. */
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
   * Adds the envelope, the spec and the journal. If one of them cannot be opened, this activity fails, and the other claims
   * continue.
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
 * `due` is the time at which an activity became claimable, and orders the queue. Two servers read the database clock slightly
 * differently, so that work which one server has just made claimable may appear to be due in the future on the other.
 */
const CLOCK_SLACK_MS = 250;

/** For each free slot, this many candidates are read, because other servers may claim some of them first. */
const SPARE = 4;
const MAX_COUNT = 128;
/**
 * With commit certification (Galera), servers do not see each other's row locks. If all claimed the oldest activities, they
 * would abort each other, so each reads at least this many candidates and begins at a random one (`withoutRivals`).
 */
const SPREAD = 32;
/** With commit certification, for this long only the server that made an activity claimable claims it. */
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
  generation, next_seq, coordinator, trigger_name, trace, paused_at, envelope, rerun_of`;

/**
 * Claims up to `limit` activities: first those of trusted runs, then those of untrusted runs, each from the oldest on. Runs are
 * locked before their activities. The first round skips runs that other transactions have locked, so that servers do not queue
 * behind each other. Later rounds wait for these locks, so that nothing is missed. This is also correct on databases that ignore
 * SKIP LOCKED.
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
      // If an org, a run or a project had no free slot, the next read excludes it: other work may be queued behind its work.
      if (!reservations.full || batch.length === 0) round += 1;
    }
  } catch (error) {
    // These claims expire, and the next claim of each activity counts its slot again.
    for (const { activity_id } of claimed) by.slots?.giveBack(activity_id);
    throw error;
  }
  return claimed;
}

/** Returns how many more activities of untrusted runs the claimer may get. */
const remainingUntrusted = ({ untrusted_room = Infinity }: Capabilities, taken: readonly ClaimedActivity[]): number =>
  Math.max(0, untrusted_room - taken.filter(({ trusted }) => !trusted).length);

/** Reserves slots for the first `count` candidates that are within the limits of untrusted work, their run and their project. */
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
  /** True after a candidate was skipped because its org, run or project had no free slot. */
  full = false;
  readonly #slots: SlotBounds | undefined;
  readonly #reserved = new Set<string>();

  constructor(slots: SlotBounds | undefined) {
    this.#slots = slots;
  }

  reserve({ untrusted, ...use }: Candidate): boolean {
    if (!this.#slots) return true;
    const { activity_id } = use;
    if (this.#slots.take({ ...use, trusted: !untrusted })) {
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
 * Orders candidates so that servers rarely claim the same ones. First come those that this server made claimable. Those of
 * other servers follow, unless they became claimable within the last `RIVAL_GRACE_MS`: their own server is about to claim these.
 * Since it begins with its oldest, this server begins at a random one in the newer half. Trusted work stays first.
 */
function withoutRivals(store: StoreContext, oldest: readonly Candidate[]): readonly Candidate[] {
  const past_grace = store.database.now() - RIVAL_GRACE_MS;
  const local = oldest.filter(({ activity_id }) => store.owners.has(activity_id));
  const others = oldest.filter(({ activity_id, due }) => due <= past_grace && !store.owners.has(activity_id));
  if (local.length + others.length < oldest.length) store.pollLater(RIVAL_GRACE_MS);
  const skip = Math.floor(others.length / 2);
  const from = skip + (store.ids.bytes(2).readUInt16BE(0) % Math.max(1, others.length - skip));
  const inOrder = [...local, ...others.slice(from), ...others.slice(0, from)];
  return inOrder.toSorted((a, b) => Number(a.untrusted) - Number(b.untrusted));
}

/** Checks isolation once more, because earlier versions of svc put untrusted work into queues that do not require it. */
const mayClaim = (store: StoreContext, by: Capabilities, { executor }: PendingRow, run: ClaimRun): boolean =>
  run.trusted === 1 || store.queues.isInProcess(executor) || by.capabilities.includes(ISOLATES);

interface ClaimRules {
  lease_ms: number;
  skip: boolean;
  reservations: SlotReservations;
}

/** Claims in one transaction. If the result of the commit is lost, the claims are found by agent and epoch. */
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
  // The end of a run also changes its pending activities, so a claim conflicts with it even if it does not write the run's row.
  tx.skipConflictGuard(
    RUN.table,
    [...locked.keys()].map((run_id) => [run_id]),
  );
  const found = slice.filter(({ run_id }) => locked.has(run_id) && !isTerminal(locked.get(run_id)!));
  const isPostponed = ({ run_id }: Candidate) => isPaused(locked.get(run_id)!);
  await postponePending(tx, found.filter(isPostponed));
  const open = found.filter((candidate) => !isPostponed(candidate));
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
