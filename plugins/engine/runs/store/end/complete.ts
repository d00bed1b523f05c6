import {
  retryUnknownCommit,
  type Transaction,
  type BatchOutcome,
  type GroupCommit,
  distinct,
  failpoint,
} from '../../../../../kernel/contracts/index.ts';
import { writeJsonYielding } from '../../../../platform/schema/contract.ts';
import type { Masker } from '../../../../security/masking/contract.ts';
import type { ActivityEnd, ClaimRef, Completion, Json } from '../../contract.ts';
import { tail } from '../../domain/tail.ts';
import type { Ending } from '../../domain/lifecycle.ts';
import { onActivityEnded, endActivities, onActivitiesEnded } from '../rows/activity-ends.ts';
import {
  hasEndedBy,
  hasClaim,
  lockFence,
  claimLost,
  type EndingActivity,
  lockEndingActivities,
  lockFences,
  activityNotFound,
} from '../rows/activities.ts';
import { announceTransitions, endRuns, updateRunStatus, type Announcement, readRunEndings } from './end-run.ts';
import type { StoreContext } from '../rows/context.ts';
import { parseJson } from '../rows/sealing.ts';
import {
  type LockedRun,
  isTerminal,
  lockRun,
  lockRuns,
  readStatusesAfter,
  setStatus,
  notifyWorkObservers,
  type WorkChange,
} from '../rows/runs.ts';
import { type EndedWait, notifyWaitKinds } from '../rows/waits.ts';
import { countCalls, countStored } from '../rows/usage.ts';

const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
/** Results of untrusted runs from this size on count against their quota, and get transactions of their own. */
const COUNTED_BYTES = 1024;
/** Maximum length of an error or reason in the run record; lifecycle payloads hold less. */
export const MAX_TEXT_POINTS = 64 * 1024;
const ERROR_CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** claimed → done | failed, and the run with it when nothing else is open. Ends share transactions. */
export async function completeActivity(
  store: StoreContext,
  completions: Completions,
  claim: ClaimRef,
  completion: Completion,
): Promise<void> {
  const owner = await store.owners.find(claim.activity_id);
  // The values of this claim were stored when it was claimed, so all of them are known before the transaction.
  const masker = await store.masks.of(owner);
  await completions.add({ ...owner, claim, ...(await limitCompletion(completion, masker)), masker });
}

/** What a claim ended with. Its output is written as JSON only once, because that takes long for a large one. */
interface ClaimResult {
  completion: Completion;
  /** The output as JSON; undefined for a failure. */
  output_json?: Buffer | undefined;
}

/** A completion that waits for its transaction. */
export interface ClaimCompletion extends ClaimResult {
  claim: ClaimRef;
  masker: Masker;
}

/** Completes claims of one run in one transaction. Answers an error for each whose claim is lost. */
export async function completeClaims(
  tx: Transaction,
  store: StoreContext,
  run_id: string,
  endings: readonly ClaimCompletion[],
): Promise<(Error | undefined)[]> {
  const run = await lockRun(tx, run_id);
  const outcomes: (Error | undefined)[] = [];
  for (const { claim, completion, output_json, masker } of endings) {
    // A completion may cancel the activities of later ones, so each is locked in turn.
    const fence = await lockFence(tx, claim.activity_id);
    const valid = hasClaim(fence, claim);
    if (valid) await completeClaim(tx, store, run, claim, { completion, output_json, masker });
    outcomes.push(valid || hasEndedBy(fence, claim, completion) ? undefined : claimLost(claim));
  }
  return outcomes;
}

/** Completes a valid claim whose run and activity are locked. */
export async function completeClaim(
  tx: Transaction,
  store: StoreContext,
  run: LockedRun,
  claim: ClaimRef,
  { masker, ...requested }: ClaimResult & { masker: Masker },
): Promise<void> {
  const { activity_id } = claim;
  const { completion, output_json } = await applyQuota(tx, store, run, requested);
  const place = { org_id: run.org_id, project_id: run.project_id, run_id: run.run_id, activity_id };
  await endActivities(tx, store, 'claimed', [{ place, completion, output_json }]);
  const [row] = await tx.read<Omit<ActivityEnd, 'result'>>(
    'SELECT activity_id, parent, name, executor FROM runs_activities WHERE activity_id = ?',
    [activity_id],
  );
  const end: ActivityEnd = { ...row!, result: completion, output_bytes: output_json?.length };
  const waits = await onActivityEnded(tx, store, run, end);
  await updateRunStatus(tx, store, run, {
    masker,
    waits,
    work: (coordinator, held) => coordinator.ended(tx, held, end),
  });
}

/**
 * Results count for an untrusted run, which may have many children. An output beyond the quota fails its activity; an error is
 * always stored.
 */
async function applyQuota(
  tx: Transaction,
  { limits }: Pick<StoreContext, 'limits'>,
  run: LockedRun,
  result: ClaimResult,
): Promise<ClaimResult> {
  const bytes = resultBytes(result);
  if (run.trusted === 1 || bytes < COUNTED_BYTES) return result;
  if (result.completion.status === 'failed') {
    await countStored(tx, [{ run_id: run.run_id, bytes }]);
    return result;
  }
  const beyond = await countCalls(tx, limits, run.run_id, [{ bytes }]);
  return beyond === undefined
    ? result
    : { completion: { status: 'failed', code: beyond.code, message: beyond.message } };
}

/** The bytes of a result: its output as JSON, or its error message. */
const resultBytes = ({ completion, output_json }: ClaimResult): number =>
  completion.status === 'succeeded' ? output_json!.length : Buffer.byteLength(completion.message);

/**
 * An output that is too large fails the run, because the agent could only send it again. A message is masked before it
 * is cut, because agents may be third-party programs.
 */
async function limitCompletion(completion: Completion, masker: Masker): Promise<ClaimResult> {
  if (completion.status === 'succeeded') {
    const written = await writeJsonYielding(completion.output ?? null);
    // No limit was given that it could exceed.
    const { json } = written as Extract<typeof written, { json: Buffer }>;
    if (json.length <= MAX_OUTPUT_BYTES) return { completion, output_json: json };
    const message = `the output is ${json.length} bytes of JSON; the limit is ${MAX_OUTPUT_BYTES}`;
    return { completion: { status: 'failed', code: 'payload_too_large', message } };
  }
  const { code, message, exit_code, final, retry_after_ms } = completion;
  return {
    completion: {
      status: 'failed',
      final,
      retry_after_ms,
      code: ERROR_CODE.test(code) ? code : 'failed',
      message: tail(masker.text(message), MAX_TEXT_POINTS),
      ...(Number.isSafeInteger(exit_code) ? { exit_code } : {}),
    },
  };
}

/** Completions in one transaction, which holds the locks of all their runs. */
const MAX_COMPLETIONS = 32;
/** A completion whose output is longer, as JSON, gets a transaction of its own. */
const MAX_SHARED_BYTES = 64 * 1024;

interface AddedCompletion extends RunCompletion {
  project_id: string;
  coordinated: boolean;
  trusted: boolean;
}

interface QueuedCompletion extends RunCompletion {
  settle(error?: unknown): void;
}

/**
 * Completions share transactions; while one commits, others gather for the next. On SQLite, which has one writer, all of them
 * share. Elsewhere those of a project share, because each would wait for the lock under which the end of its run is announced.
 * Two kinds share only with others of their run: completions of coordinated runs, whose statements would delay all others,
 * and those of runs that somebody else has locked, because a server that hangs with a lock must not stop a project.
 */
export class Completions {
  readonly #store: StoreContext;
  readonly #commits: GroupCommit<AddedCompletion, void>;
  /** By run, for as long as a transaction of the run is open. */
  readonly #queues = new Map<string, QueuedCompletion[]>();
  readonly #has_one_writer: boolean;

  constructor(store: StoreContext) {
    this.#store = store;
    this.#has_one_writer = store.database.sql.family === 'sqlite';
    this.#commits = store.group_commits.create<AddedCompletion, void>({
      name: 'runs.complete',
      max_batch: MAX_COMPLETIONS,
      partition: this.#has_one_writer ? undefined : ({ project_id }) => project_id,
      flush: (tx, batch) => this.#flush(tx, batch),
    });
  }

  /** Resolves after the commit. Rejects with `lease_lost`. */
  add(ending: AddedCompletion): Promise<void> {
    const large = ending.output_json !== undefined && ending.output_json.length > MAX_SHARED_BYTES;
    // Counting locks rows that others write too.
    const counted = !ending.trusted && resultBytes(ending) >= COUNTED_BYTES;
    if (large || counted) return this.#commitAlone(ending);
    return this.#has_one_writer || !ending.coordinated ? this.#commitShared(ending) : this.#enqueue(ending);
  }

  async #commitShared(ending: AddedCompletion): Promise<void> {
    try {
      await retryUnknownCommit(() => this.#commits.submit(ending));
    } catch (error) {
      if (!(error instanceof RunLocked)) throw error;
      await this.#enqueue(ending);
    }
  }

  #enqueue(ending: RunCompletion): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const settle = (error?: unknown) => (error === undefined ? resolve() : reject(error as Error));
    this.#pushQueued({ ...ending, settle });
    return promise;
  }

  async #commitAlone(ending: RunCompletion): Promise<void> {
    const [lost] = await this.#commit([ending]);
    if (lost) throw lost;
  }

  #commit(endings: readonly RunCompletion[]): Promise<(Error | undefined)[]> {
    return retryUnknownCommit(() =>
      this.#store.database.transaction((tx) => completeClaims(tx, this.#store, endings[0]!.run_id, endings)),
    );
  }

  /** Completes those of coordinated runs run by run, and all others together. */
  async #flush(tx: Transaction, batch: readonly AddedCompletion[]): Promise<BatchOutcome<void>[]> {
    const uncoordinated = batch.filter(({ coordinated }) => !coordinated);
    const outcomes = new Map(await completeUncoordinated(tx, this.#store, uncoordinated));
    const coordinated = batch.filter((ending) => ending.coordinated);
    for (const [run_id, endings] of Map.groupBy(coordinated, (ending) => ending.run_id)) {
      const errors = await completeClaims(tx, this.#store, run_id, endings);
      for (const [i, error] of errors.entries()) outcomes.set(endings[i]!, error);
    }
    return batch.map((ending) => {
      const error = outcomes.get(ending);
      return error ? { error } : { ok: undefined };
    });
  }

  #pushQueued(ending: QueuedCompletion): void {
    const open = this.#queues.get(ending.run_id);
    if (open) {
      open.push(ending);
      return;
    }
    const queue = [ending];
    this.#queues.set(ending.run_id, queue);
    void this.#drain(ending.run_id, queue);
  }

  /** Never rejects: every completion is settled. */
  async #drain(run_id: string, queue: QueuedCompletion[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_COMPLETIONS);
      // When a batch fails, one completion may be the cause.
      if (!(await this.#commitQueued(batch))) for (const ending of batch) await this.#commitQueued([ending]);
    }
    this.#queues.delete(run_id);
  }

  async #commitQueued(batch: readonly QueuedCompletion[]): Promise<boolean> {
    // In the order in which their activities are locked.
    const sorted = batch.toSorted((a, b) => (a.claim.activity_id < b.claim.activity_id ? -1 : 1));
    try {
      const outcomes = await this.#commit(sorted);
      for (const [i, { settle }] of sorted.entries()) settle(outcomes[i]);
      return true;
    } catch (error) {
      if (batch.length > 1) return false;
      batch[0]!.settle(error);
      return true;
    }
  }
}

interface RunCompletion extends ClaimCompletion {
  run_id: string;
}

/** The run of a completion is locked by somebody else, or no longer exists. */
class RunLocked extends Error {}

/** What is announced last, because it takes locks that come after those of runs and activities. */
interface Notifications {
  announcements: Announcement[];
  waits: EndedWait[];
  work: WorkChange[];
}

/**
 * Completes claims of runs without a coordinator in one transaction, with as many statements for all as for one. Answers an
 * error for each whose claim is lost, or whose run is locked by somebody else: the others do not wait for that run.
 */
async function completeUncoordinated(
  tx: Transaction,
  store: StoreContext,
  endings: readonly RunCompletion[],
): Promise<ReadonlyMap<RunCompletion, Error | undefined>> {
  const runs = await lockRuns(
    tx,
    endings.map(({ run_id }) => run_id),
    { skip: true },
  );
  const outcomes = new Map<RunCompletion, Error | undefined>();
  const open = endings.filter((ending) => runs.has(ending.run_id));
  for (const ending of endings) if (!runs.has(ending.run_id)) outcomes.set(ending, new RunLocked());
  const notifications: Notifications = { announcements: [], waits: [], work: [] };
  const rounds = toRounds(open);
  // Locks those of later rounds too, because activities are always locked in the order of their ids.
  if (rounds.length > 1) await lockFences(tx, open.map(completedActivity));
  for (const round of rounds) await completeRound(tx, store, runs, round, outcomes, notifications);
  const announced = notifications.announcements.toSorted((a, b) => (a.run.run_id < b.run.run_id ? -1 : 1));
  await announceTransitions(tx, store, announced);
  // After the ends were announced, because an announcement takes its locks first.
  await notifyWaitKinds(tx, store, notifications.waits);
  await notifyWorkObservers(tx, store, notifications.work);
  tx.afterCommit(() => {
    for (const run_id of distinct(
      [...outcomes].filter(([, error]) => !error),
      ([ending]) => ending.run_id,
    )) {
      const run = runs.get(run_id)!;
      store.wakeups.run(run_id, { project_id: run.project_id, part: 'run', over: isTerminal(run) });
    }
  });
  failpoint('runs.settled');
  return outcomes;
}

const completedActivity = ({ claim }: RunCompletion): string => claim.activity_id;

/** One completion of each run in a round, because it may cancel the activities of the next one of its run. */
function toRounds(endings: readonly RunCompletion[]): RunCompletion[][] {
  const rounds: RunCompletion[][] = [];
  for (const own of Map.groupBy(endings, ({ run_id }) => run_id).values())
    for (const [at, ending] of own.entries()) (rounds[at] ??= []).push(ending);
  return rounds;
}

async function completeRound(
  tx: Transaction,
  store: StoreContext,
  runs: ReadonlyMap<string, LockedRun>,
  round: readonly RunCompletion[],
  outcomes: Map<RunCompletion, Error | undefined>,
  notifications: Notifications,
): Promise<void> {
  const fences = await lockEndingActivities(tx, round.map(completedActivity));
  const valid: RunCompletion[] = [];
  for (const ending of round) {
    const { claim, completion } = ending;
    const fence = fences.get(claim.activity_id);
    if (hasClaim(fence, claim)) valid.push(ending);
    if (fence === undefined) outcomes.set(ending, activityNotFound(claim.activity_id));
    else
      outcomes.set(
        ending,
        hasClaim(fence, claim) || hasEndedBy(fence, claim, completion) ? undefined : claimLost(claim),
      );
  }
  if (valid.length === 0) return;
  await endActivities(
    tx,
    store,
    'claimed',
    valid.map(({ run_id, claim, completion, output_json }) => ({
      place: activityScope(runs.get(run_id)!, claim),
      completion,
      output_json,
    })),
  );
  const ends = valid.map(({ run_id, claim, completion }) => ({
    run: runs.get(run_id)!,
    end: toEnd(fences.get(claim.activity_id)!, completion),
  }));
  notifications.waits.push(...(await onActivitiesEnded(tx, store, ends)));
  const own = new Set(ends.flatMap(({ end }) => (end.parent === null ? [end.activity_id] : [])));
  notifications.announcements.push(...(await updateStatuses(tx, store, runs, valid, own, notifications.work)));
}

const activityScope = ({ org_id, project_id, run_id }: LockedRun, { activity_id }: ClaimCompletion['claim']) => ({
  org_id,
  project_id,
  run_id,
  activity_id,
});

const toEnd = (
  { activity_id, parent, name, executor }: EndingActivity,
  result: ActivityEnd['result'],
): ActivityEnd => ({
  activity_id,
  parent,
  name,
  executor,
  result,
});

const outputEntry = ({ claim, completion }: RunCompletion): [activity_id: string, output: Json][] =>
  completion.status === 'succeeded' ? [[claim.activity_id, completion.output ?? null]] : [];

/** How a run ends whose only activity ends so. */
const endingOf = (completion: Completion): Ending =>
  completion.status === 'failed'
    ? { status: 'failed', code: completion.code, message: completion.message }
    : { status: 'succeeded', output: parseJson(JSON.stringify(completion.output ?? null)) };

/**
 * Sets the following status of each run, or ends it. `own` are the ended activities that no other activity has started. Answers
 * the ends, for the caller to announce.
 */
async function updateStatuses(
  tx: Transaction,
  store: StoreContext,
  runs: ReadonlyMap<string, LockedRun>,
  completions: readonly RunCompletion[],
  own: ReadonlySet<string>,
  work: WorkChange[],
): Promise<Announcement[]> {
  const { next: statuses, single } = await readStatusesAfter(
    tx,
    completions.map(({ run_id, claim: { activity_id } }) => ({ run_id, activity_id })),
  );
  for (const [run_id, { status, working }] of statuses) {
    const run = runs.get(run_id)!;
    if (run.status === 'waiting' || status === 'waiting') work.push({ run, working });
    await setStatus(tx, run, status);
  }
  const ended = completions.filter(({ run_id }) => !statuses.has(run_id));
  if (ended.length === 0) return [];
  const endings = new Map<string, Ending>();
  for (const { run_id, claim, completion } of ended)
    if (single.has(run_id) && own.has(claim.activity_id)) endings.set(run_id, endingOf(completion));
  const others = ended.filter(({ run_id }) => !endings.has(run_id));
  if (others.length > 0) {
    const outputs = new Map(completions.flatMap(outputEntry));
    const rest = others.map(({ run_id }) => runs.get(run_id)!);
    for (const [run_id, ending] of await readRunEndings(tx, store, rest, outputs)) endings.set(run_id, ending);
  }
  return endRuns(
    tx,
    store,
    ended.map(({ run_id, masker }) => ({ run: runs.get(run_id)!, ending: endings.get(run_id)!, masker })),
  );
}
