import {
  distinct,
  inList,
  inState,
  chunks,
  type BatchOutcome,
  type Database,
  type GroupCommit,
  type Transaction,
  retryUnknownCommit,
  insertRows,
  type Param,
  type Sealer,
  Errors,
  type Queries,
  iso,
} from '../../../../../kernel/contracts/index.ts';
import type { AuditEntry } from '../../../../platform/audit/contract.ts';
import {
  concurrencyArgs,
  type InstantClaimer,
  type NewRun,
  type RunStatus,
  type SubmitResult,
  type SubmitRun,
  type Json,
  chainTooDeep,
  type Run,
  type NewActivity,
  type Claimed,
  MAX_RUN_DEPTH,
  RUN_CONCURRENCY_WAIT,
} from '../../contract.ts';
import { checkNewRun, envelopeOf } from '../../domain/new-run-rules.ts';
import { type Announcement, announceTransitions, updateRunStatus, markStarted, type RunTimes } from '../end/end-run.ts';
import { insertDeadlines } from '../end/cancel.ts';
import {
  idempotencyDigest,
  sourceDigest,
  sealEnv,
  sealEnvelope,
  textKey,
  sealSpec,
  openEnv,
  openEnvelope,
  parseJson,
} from '../rows/sealing.ts';
import type { StoreContext } from '../rows/context.ts';
import {
  type LockedRun,
  newRunRow,
  type Submission,
  INSERTED_COLUMNS,
  insertedRow,
  submittedCredentials,
  type RunRow,
} from '../rows/runs.ts';
import { insertUntrusted, rejectBeyondLimit } from '../rows/usage.ts';
import {
  activityRow,
  insertActivities,
  type ClaimedActivity,
  type CreatedContents,
  type InsertedActivity,
} from '../rows/activities.ts';
import { isDeepStrictEqual } from 'node:util';
import { parseExact } from '../../../../platform/schema/contract.ts';
import { firstClaimOf } from '../claim/eager.ts';
import { armWait, tryResolveNow } from '../wait/park.ts';
import { decodeTrace } from '../../../../platform/tracing/contract.ts';
import type { Ending } from '../../domain/lifecycle.ts';

/** What a repeat of a submit is compared with. */
const COMPARED = [
  'org_id',
  'project_id',
  'run_id',
  'source_digest',
  'envelope',
  'env',
  'credentials',
  'tags',
  'subject',
] as const;

type ComparedRow = Pick<RunRow, (typeof COMPARED)[number]>;

const READ_EXISTING = `SELECT key_digest, status, ${COMPARED.join(', ')} FROM runs_runs`;
const MAX_SUBMITS = 64;

interface ExistingRun extends ComparedRow {
  key_digest: string | null;
  status: RunStatus;
}

/** Creates runs, many in one transaction. A key or run id that exists answers the run that has it (I5, I8). */
export class RunSubmitter {
  readonly #store: StoreContext;
  readonly #commits: GroupCommit<Submission, SubmitResult>;

  constructor(store: StoreContext) {
    this.#store = store;
    this.#commits = store.group_commits.create<Submission, SubmitResult>({
      name: 'runs.submit',
      max_batch: MAX_SUBMITS,
      flush: (tx, batch) => submitBatch(tx, batch, store),
    });
  }

  async createRun(run: NewRun): Promise<SubmitResult> {
    checkNewRun(run);
    // What the run is given is sealed, and observers in the transaction may seal too.
    await this.#store.sealer.prepare(run.org_id);
    const { database } = this.#store;
    const trace = run.trace ?? this.#store.spans?.ambient() ?? null;
    const submission = await this.#prepare(database, { ...run, trace });
    return retryUnknownCommit(() => this.#commits.submit(submission));
  }

  /** The same in the caller's transaction. The org's keys must be ready. */
  async createIn(tx: Transaction, runs: readonly NewRun[]): Promise<SubmitResult[]> {
    const batch: Submission[] = [];
    for (const run of runs) {
      checkNewRun(run);
      batch.push(await this.#prepare(tx, run));
    }
    const admitted = await admitRuns(tx, this.#store, batch);
    if (admitted.length < batch.length) throw this.#store.admission.rejection();
    return (await createAdmitted(tx, batch, this.#store)).map((outcome) => {
      if ('error' in outcome) throw outcome.error;
      return outcome.ok;
    });
  }

  async #prepare(on: Database | Transaction, run: NewRun): Promise<Submission> {
    const parent = await readParent(on, run);
    // I16: a child is never trusted more than its parent.
    const trusted = run.trusted && parent?.trusted !== 0;
    await assertDepth(on, run);
    return {
      run: this.#withTimeout(await this.#withMaskedNames(on, run), {
        trusted,
        parent,
        usual_ms: await this.#readDefaultTimeout(on, run),
      }),
      trusted,
      key_digest: run.idempotency_key === undefined ? null : idempotencyDigest(run.idempotency_key),
      source_digest: sourceDigest(run.source, run.files),
      lanes: await this.#findQueues(on, run, trusted),
      envelope: sealEnvelope(this.#store.sealer, run, envelopeOf(run)),
      env: sealEnv(this.#store.sealer, run, run.env),
      trace: run.trace ?? (parent && this.#store.spans?.below(parent)) ?? null,
      attempted: false,
    };
  }

  /** The default of the project. A run with a timeout of its own costs no lookup. */
  async #readDefaultTimeout(
    on: Database | Transaction,
    { timeout_ms, project_id }: NewRun,
  ): Promise<number | undefined> {
    if (timeout_ms !== undefined) return undefined;
    return (await this.#store.settings.readCached(on, project_id)).timeout_ms;
  }

  /**
   * An untrusted run always has a timeout, because nobody may be watching it. The runs that it starts end with its own time,
   * or it could live on by starting itself again. That does not hold for a rerun, which somebody else asks for.
   */
  #withTimeout(
    run: NewRun,
    { trusted, parent, usual_ms }: { trusted: boolean; parent: ParentRun | undefined; usual_ms: number | undefined },
  ): NewRun {
    const times = run.timeout_ms === undefined ? [usual_ms] : [run.timeout_ms];
    if (!trusted && run.timeout_ms === undefined) times.push(this.#store.limits.untrusted_timeout_ms);
    if (!trusted && parent?.trusted === 0 && parent.timeout_ms !== null && run.triggered !== true)
      times.push(Math.max(1, parent.created_at + parent.timeout_ms - this.#store.database.now()));
    const limits = times.filter((time) => time !== undefined);
    return limits.length === 0 ? run : { ...run, timeout_ms: Math.min(...limits) };
  }

  /**
   * A parent writes the document of its child. What runs are found by is stored as plain text, so that no secret of the parent
   * may stand in it.
   */
  async #withMaskedNames(on: Database | Transaction, run: NewRun): Promise<NewRun> {
    const { parent, org_id, project_id } = run;
    if (parent === undefined) return run;
    const masker = await this.#store.masks.of({ org_id, project_id, run_id: parent }, on);
    if (masker.idle) return run;
    const mask = <T extends string | undefined>(text: T) => (text === undefined ? text : masker.text(text));
    const { subject, tags, filename, workflow } = run;
    return {
      ...run,
      subject: mask(subject),
      filename: mask(filename),
      workflow: masker.text(workflow),
      tags: tags?.map((tag) => masker.text(tag)),
    };
  }

  /** Looks for the key only, because other members of a repeated request may have become invalid. */
  async findSubmitted(run: SubmitRun): Promise<SubmitResult | undefined> {
    if (run.idempotency_key === undefined) return undefined;
    const [first] = await this.#store.database.read<ExistingRun>(
      `${READ_EXISTING} WHERE project_id = ? AND key_digest = ?`,
      [run.project_id, idempotencyDigest(run.idempotency_key)],
    );
    if (!first) return undefined;
    await this.#store.sealer.prepare(run.org_id);
    return duplicateResult(this.#store, first, run);
  }

  async #findQueues(on: Database | Transaction, run: NewRun, trusted: boolean): Promise<string[]> {
    const lanes: string[] = [];
    for (const activity of run.activities)
      lanes.push(await this.#store.queues.queueFor(on, run.org_id, activity, { ...run, trusted }));
    return lanes;
  }
}

/** Rejects the runs for which their projects have no capacity, and creates the others. */
async function submitBatch(
  tx: Transaction,
  batch: readonly Submission[],
  store: StoreContext,
): Promise<BatchOutcome<SubmitResult>[]> {
  const admitted = await admitRuns(tx, store, batch);
  const outcomes = new Map<Submission, BatchOutcome<SubmitResult>>();
  for (const [at, outcome] of (await createAdmitted(tx, admitted, store)).entries())
    outcomes.set(admitted[at]!, outcome);
  return batch.map((submission) => outcomes.get(submission) ?? { error: store.admission.rejection() });
}

/**
 * Leaves out the runs for which their projects have no capacity. A repeat is answered whatever the capacity, because it
 * creates nothing.
 */
async function admitRuns(
  tx: Transaction,
  store: StoreContext,
  batch: readonly Submission[],
): Promise<readonly Submission[]> {
  const capacities = new Map<string, number>();
  for (const [project_id, own] of Map.groupBy(batch, ({ run }) => run.project_id)) {
    const wanted = own.filter(({ run }) => !run.admitted).length;
    if (wanted > 0) capacities.set(project_id, await store.admission.capacity(tx, project_id, wanted));
  }
  const full = batch.filter(({ run }) => {
    if (run.admitted) return false;
    const capacity = capacities.get(run.project_id)!;
    capacities.set(run.project_id, capacity - 1);
    return capacity <= 0;
  });
  if (full.length === 0) return batch;
  const existing = await findExisting(tx, full, () => true);
  const rejected = new Set(full.filter((submission) => findIn(existing, submission) === undefined));
  return batch.filter((submission) => !rejected.has(submission));
}

/** Inserts the runs with all that belongs to them, announces those that begin at once, and finds the first runs of repeats. */
async function createAdmitted(
  tx: Transaction,
  batch: readonly Submission[],
  store: StoreContext,
): Promise<BatchOutcome<SubmitResult>[]> {
  const retried = new Set(batch.filter((submission) => submission.attempted));
  const before = await findExisting(tx, batch, ({ attempted }) => attempted);
  const wanted = withoutRepeats(batch).filter((submission) => findIn(before, submission) === undefined);
  const rejected = await rejectBeyondLimit(tx, store.limits, wanted);
  const accepted = wanted.filter((submission) => !rejected.has(submission));
  // An earlier attempt of this transaction may have set the status and the record.
  for (const submission of accepted)
    Object.assign(submission, { attempted: true, status: undefined, ended: undefined });
  const created_at = store.database.now();
  const { created, claims } = await insertRuns(tx, store, accepted, created_at);
  for (const [project_id, own] of Map.groupBy(created, ({ run }) => run.project_id))
    store.admission.addCreated(project_id, own.length);
  await store.audit.recordAll(tx, created.flatMap(auditEntries));
  const submitted = created.map(({ run, trusted }) => ({ ...run, trusted }));
  if (submitted.length > 0) for (const observer of store.submit_observers) await observer.onSubmitted(tx, submitted);
  const announcements: Announcement[] = [];
  await awaitConcurrencyGroups(tx, store, created);
  for (const submission of created) await beginCoordinated(tx, store, submission, created_at, announcements);
  const claimed = await startClaimed(tx, store, claims, announcements);
  await announceTransitions(tx, store, announcements);
  for (const observer of store.submit_observers) await observer.onWritten?.(tx);
  tx.afterCommit(() => {
    for (const { run, trusted } of created) {
      const place = { ...scopeOf(run), coordinated: run.coordination !== undefined, trusted };
      for (const { activity_id } of run.activities) store.owners.remember({ ...place, activity_id });
      store.wakeups.run(run.run_id, { project_id: run.project_id, part: 'run' });
    }
    for (const { claimer, claim } of claimed) store.eager.deliver(claimer, claim);
    // A coordinator announces the activities that it adds itself.
    if (created.reduce((count, { run }) => count + run.activities.length, 0) > claims.length) store.wakeups.work();
  });
  // When fewer runs were created than asked for, others have their keys or ids.
  const existing =
    created.length + rejected.size === batch.length
      ? new Map<string, ExistingRun>()
      : await findExisting(tx, batch, () => true);
  const ours = new Set([...created, ...retried]);
  return batch.map((submission) => {
    const error = rejected.get(submission);
    return error ? { error } : { ok: toResult(store, submission, ours, existing) };
  });
}

const scopeOf = ({ run_id, org_id, project_id }: NewRun) => ({ run_id, org_id, project_id });

/** The epoch of the wait before the first claim of an activity. */
const BEFORE_CLAIM = -1;

/** Runs of concurrency groups wait for their turn, before an agent can claim them. */
async function awaitConcurrencyGroups(
  tx: Transaction,
  store: StoreContext,
  created: readonly Submission[],
): Promise<void> {
  const grouped = created.filter(({ run }) => run.concurrency !== undefined);
  if (grouped.length === 0) return;
  const kind = store.wait_kinds.get(RUN_CONCURRENCY_WAIT);
  if (!kind) throw Errors.invalidRequest('no loaded plugin provides concurrency groups');
  // In one order, because servers that lock the same groups in another order would wait for each other.
  for (const submission of grouped.toSorted((a, b) => (groupOf(a) < groupOf(b) ? -1 : 1))) {
    const { group, ...options } = submission.run.concurrency!;
    const now = store.database.now();
    const args = concurrencyArgs('run', options);
    const wait = {
      kind: RUN_CONCURRENCY_WAIT,
      name: group,
      args,
      position: 0,
      ordinal: 0,
      digest: '',
      started_at: now,
    };
    const run = newRunRow(submission);
    for (const { activity_id } of submission.run.activities) {
      const claim = { activity_id, epoch: BEFORE_CLAIM };
      if (await tryResolveNow(tx, kind, run, claim, wait, now))
        await tx.write(`UPDATE runs_activities SET state = 'pending' WHERE activity_id = ? AND ${inState('parked')}`, [
          activity_id,
        ]);
      else await armWait(tx, store, run, kind, claim, wait);
    }
  }
}

const groupOf = ({ run }: Submission): string => `${run.project_id} ${run.concurrency?.group}`;

/** A coordinated run begins in the transaction that creates it, and may even end in it. */
async function beginCoordinated(
  tx: Transaction,
  store: StoreContext,
  submission: Submission,
  created_at: number,
  announcements: Announcement[],
): Promise<void> {
  const { coordination } = submission.run;
  if (!coordination) return;
  const { parent, unfinished = false } = submission.run;
  const run = newRunRow(submission);
  await updateRunStatus(tx, store, run, {
    created: {
      envelope: () => openedEnvelope(submission.run),
      // A child has the values of its parent, and a rerun those of the first run.
      has_no_masks: parent === undefined && !unfinished,
      onEnded: (ending, times) => {
        submission.ended = toRecord(submission, ending, { ...times, created_at });
      },
    },
    announcements,
    work: (coordinator, held) => coordinator.begin(tx, held, coordination.plan),
  });
  submission.status = run.status;
}

/** Through JSON, as what is stored is read. */
function contentsOf({ run }: Submission, activity_id: string): CreatedContents {
  const { subject = null, generation, env = {}, credentials = {} } = run;
  const spec = run.activities.find((activity) => activity.activity_id === activity_id)?.spec ?? null;
  return {
    envelope: openedEnvelope(run),
    spec: parseJson(JSON.stringify(spec)),
    environment: { subject, generation, env: { ...env }, credentials: { ...credentials } },
  };
}

const openedEnvelope = (run: NewRun): Claimed['envelope'] =>
  parseJson(JSON.stringify(envelopeOf(run))) as Claimed['envelope'];

/** The record of a run that has ended in the transaction that created it, as `readRun` would answer it. */
function toRecord(
  { run, trusted, trace }: Submission,
  ending: Ending,
  { created_at, started_at, finished_at }: RunTimes & { created_at: number },
): Run {
  const unlessEmpty = <T>(items: readonly T[] = []): T[] | undefined => (items.length > 0 ? [...items] : undefined);
  return {
    run_id: run.run_id,
    kind: run.kind,
    workflow_type: run.workflow_type,
    workflow: run.workflow,
    status: ending.status,
    subject: run.subject,
    tags: [...(run.tags ?? [])],
    trigger: parseJson(JSON.stringify(run.trigger)) as Run['trigger'],
    trusted,
    generation: run.generation,
    created_at: iso(created_at),
    started_at: started_at === undefined ? undefined : iso(started_at),
    finished_at: iso(finished_at),
    deadline: run.timeout_ms === undefined ? undefined : iso(created_at + run.timeout_ms),
    output: ending.status === 'succeeded' ? parseJson(JSON.stringify(ending.output ?? null)) : undefined,
    error: ending.status === 'failed' ? { code: ending.code, message: ending.message } : undefined,
    reason: ending.status === 'cancelled' ? ending.reason : undefined,
    priority: (trusted && run.priority) || undefined,
    cancel_on: unlessEmpty(run.cancel_on),
    requires: unlessEmpty(run.requires),
    credentials: run.credentials && Object.keys(run.credentials).length > 0 ? run.credentials : undefined,
    annotations: [],
    trace_id: decodeTrace(trace)?.trace_id,
  };
}

/** Starts the runs of which an activity is claimed at once. */
async function startClaimed(
  tx: Transaction,
  store: StoreContext,
  claims: readonly EagerlyClaimed[],
  announcements: Announcement[],
): Promise<{ claimer: InstantClaimer; claim: ClaimedActivity }[]> {
  if (claims.length === 0) return [];
  const runs = new Map<Submission, LockedRun>();
  for (const { submission } of claims) if (!runs.has(submission)) runs.set(submission, newRunRow(submission));
  await markStarted(tx, [...runs.values()], store.database.now());
  for (const run of runs.values()) announcements.push({ run });
  return claims.map(({ submission, claimer, row }) => {
    const created = contentsOf(submission, row.activity_id);
    return { claimer, claim: { ...firstClaimOf(runs.get(submission)!, row), created } };
  });
}

/** Of several runs with one key or id in a batch, the first is created. */
function withoutRepeats(batch: readonly Submission[]): Submission[] {
  const seen = new Set<string>();
  return batch.filter((submission) => {
    const names = keysOf(submission);
    const first = names.every((name) => !seen.has(name));
    for (const name of names) seen.add(name);
    return first;
  });
}

function auditEntries({ run }: Submission): AuditEntry[] {
  const { by, org_id, project_id, run_id, workflow, paused } = run;
  if (!by) return [];
  const entry = { ...by, org_id, project_id, subject: run_id };
  const submitted = { ...entry, action: 'run.submit', detail: workflow };
  return paused ? [submitted, { ...entry, action: 'run.pause' }] : [submitted];
}

const keysOf = ({ run, key_digest }: Submission): string[] =>
  key_digest === null ? [run.run_id] : [run.run_id, `${run.project_id} ${key_digest}`];

const findIn = (existing: ReadonlyMap<string, ExistingRun>, submission: Submission): ExistingRun | undefined =>
  keysOf(submission)
    .map((name) => existing.get(name))
    .find((row) => row !== undefined);

/** Existing runs with a key of the batch, or with one of the chosen ids, indexed by both. */
async function findExisting(
  tx: Transaction,
  batch: readonly Submission[],
  by_id: (submission: Submission) => boolean,
): Promise<Map<string, ExistingRun>> {
  const existing = new Map<string, ExistingRun>();
  const add = (row: ExistingRun) => {
    existing.set(row.run_id, row);
    if (row.key_digest !== null) existing.set(`${row.project_id} ${row.key_digest}`, row);
  };
  for (const ids of chunks(distinct(batch.filter(by_id), ({ run }) => run.run_id))) {
    const list = inList(ids);
    for (const row of await tx.read<ExistingRun>(`${READ_EXISTING} WHERE run_id IN ${list.placeholders}`, list.params))
      add(row);
  }
  for (const { run, key_digest } of batch) {
    if (key_digest === null) continue;
    const params = [run.project_id, key_digest];
    for (const row of await tx.read<ExistingRun>(`${READ_EXISTING} WHERE project_id = ? AND key_digest = ?`, params))
      add(row);
  }
  return existing;
}

/** Answers the runs that were really inserted, and the activities of them that are claimed at once. */
async function insertRuns(
  tx: Transaction,
  store: StoreContext,
  accepted: readonly Submission[],
  now: number,
): Promise<{ created: Submission[]; claims: EagerlyClaimed[] }> {
  if (accepted.length === 0) return { created: [], claims: [] };
  for (const submission of accepted) claimAhead(store, submission);
  await store.sources.store(tx, accepted, now);
  const rows = accepted.map((submission) => insertedRow(submission, now));
  // A run whose key or id exists is left out.
  const inserted = await insertRows(tx, `${tx.sql.insert_ignore} runs_runs`, INSERTED_COLUMNS, rows);
  const created = inserted === accepted.length ? [...accepted] : await readInserted(tx, accepted);
  await insertUntrusted(tx, created);
  await insertDeadlines(tx, store, created, now);
  const claims = await insertActivitiesOf(tx, store, created, now);
  await insertTags(tx, created);
  for (const { run } of created) if (run.parent !== undefined) await store.masks.inherit(tx, run.parent, [run.run_id]);
  return { created, claims };
}

/** True for a run that no other can be mistaken for: it has an id of its own, and no key. */
const isUnique = ({ run, key_digest }: Submission): boolean => run.new_id === true && key_digest === null;

/** Reserves the claimers of a run that is surely inserted, so that it is inserted as one that has started. */
function claimAhead(store: InsertContext, submission: Submission): void {
  const { run, trusted } = submission;
  submission.claimers =
    isUnique(submission) && !run.unfinished && !run.coordination && run.concurrency === undefined
      ? run.activities.map((activity) => findClaimer(store, run, activity, trusted))
      : undefined;
}

function findClaimer(
  { queues, eager }: InsertContext,
  run: NewRun,
  activity: NewActivity,
  trusted: boolean,
): InstantClaimer | undefined {
  if (run.paused) return undefined;
  return eager.claimerFor(run, { ...activity, requires: queues.requirementsOf(activity, trusted) }, trusted);
}

/** When another server was first, the run has no row of its own, or an older row that has activities or has begun. */
async function readInserted(tx: Transaction, accepted: readonly Submission[]): Promise<Submission[]> {
  const list = inList(accepted.filter((submission) => !isUnique(submission)).map(({ run }) => run.run_id));
  const rows = await tx.read<{ run_id: string }>(
    `SELECT run_id FROM runs_runs WHERE run_id IN ${list.placeholders}
     AND status = 'queued' AND NOT EXISTS (SELECT 1 FROM runs_activities WHERE runs_activities.run_id = runs_runs.run_id)`,
    list.params,
  );
  const inserted = new Set(rows.map((row) => row.run_id));
  return accepted.filter((submission) => isUnique(submission) || inserted.has(submission.run.run_id));
}

function toResult(
  store: Pick<StoreContext, 'sealer'>,
  submission: Submission,
  ours: Set<Submission>,
  existing: ReadonlyMap<string, ExistingRun>,
): SubmitResult {
  const { run } = submission;
  const first = findIn(existing, submission);
  if (ours.has(submission) && (first === undefined || first.run_id === run.run_id))
    return {
      run_id: run.run_id,
      status: first?.status ?? submission.status ?? 'queued',
      duplicate: false,
      ...(submission.ended && { ended: submission.ended }),
    };
  if (!first) throw new Error(`run ${run.run_id} was neither created nor found`);
  return duplicateResult(store, first, run);
}

function duplicateResult(
  store: Pick<StoreContext, 'sealer'>,
  first: ExistingRun,
  repeat: RepeatedSubmit,
): SubmitResult {
  const another = isDifferentSubmit(store.sealer, first, repeat) ? { source_differs: true } : {};
  return { run_id: first.run_id, status: first.status, duplicate: true, ...another };
}

type InsertContext = Pick<StoreContext, 'sealer' | 'eager' | 'queues'>;

/** An activity of a new run that a claimer of this process gets after the commit. */
interface EagerlyClaimed {
  submission: Submission;
  claimer: InstantClaimer;
  row: InsertedActivity;
}

/** Answers the activities that are claimed at once. The orgs' keys must be ready. */
async function insertActivitiesOf(
  tx: Transaction,
  store: InsertContext,
  created: readonly Submission[],
  now: number,
): Promise<EagerlyClaimed[]> {
  const claims: EagerlyClaimed[] = [];
  const rows: Param[][] = [];
  for (const submission of created)
    for (const { row, claimer } of prepareActivities(store, submission)) {
      if (claimer) claims.push({ submission, claimer, row });
      const claim = claimer && { agent_id: claimer.agent_id, deadline: now + claimer.lease_ms };
      rows.push(activityRow(claim ? { ...row, claim } : row, submission.run, now));
    }
  await insertActivities(tx, rows);
  return claims;
}

const TAG_COLUMNS = ['run_id', 'tag_key', 'project_id'];

async function insertTags(tx: Transaction, created: readonly Submission[]): Promise<void> {
  const tags = created.flatMap(({ run }) =>
    distinct(run.tags ?? [], (tag) => textKey('tag', tag)).map((key) => [run.run_id, key, run.project_id]),
  );
  await insertRows(tx, 'INSERT INTO runs_tags', TAG_COLUMNS, tags);
}

const prepareActivities = (
  store: InsertContext,
  { run, lanes, trusted, claimers }: Submission,
): { row: InsertedActivity; claimer?: InstantClaimer | undefined }[] =>
  run.activities.map((activity, i) => {
    const spec = sealSpec(store, run, activity.activity_id, activity.spec);
    if (run.concurrency !== undefined) return { row: { ...activity, spec, lane: lanes[i]!, state: 'parked' } };
    const claimer = claimers ? claimers[i] : run.unfinished ? undefined : findClaimer(store, run, activity, trusted);
    return { row: { ...activity, spec, lane: lanes[i]! }, claimer };
  });

/** The members of a submit in which a repeat may not differ (ruling 41). */
type RepeatedSubmit = Pick<
  SubmitRun,
  'source' | 'files' | 'input' | 'args' | 'env' | 'credentials' | 'tags' | 'subject'
>;

/**
 * True when the repeat asks for another run than the first submit. Documents that are named by reference are not compared.
 * The org's keys must be ready.
 */
function isDifferentSubmit(sealer: Sealer, first: ComparedRow, { source, files, ...repeat }: RepeatedSubmit): boolean {
  if (source !== undefined && sourceDigest(source, files) !== first.source_digest) return true;
  return !isDeepStrictEqual(storedContent(sealer, first), repeatedContent(repeat));
}

function storedContent(sealer: Sealer, { envelope, env, credentials, tags, subject, ...run }: ComparedRow): unknown {
  const { input = null, args = [] } = openEnvelope(sealer, run, parseExact(envelope) as { input?: Json; args?: Json });
  return {
    input,
    args,
    env: openEnv(sealer, run, env) as unknown,
    credentials: submittedCredentials(credentials) ?? {},
    tags: JSON.parse(tags) as unknown,
    subject,
  };
}

/** Through JSON, which drops members without a value. */
function repeatedContent({
  input,
  args,
  env,
  credentials,
  tags,
  subject,
}: Omit<RepeatedSubmit, 'source' | 'files'>): unknown {
  const content = {
    input: input ?? null,
    args: args ?? [],
    env: env ?? {},
    credentials: credentials ?? {},
    tags: tags ?? [],
    subject: subject ?? null,
  };
  return parseExact(JSON.stringify(content));
}

const PARENT_COLUMNS = ['run_id', 'trusted', 'trace', 'created_at', 'timeout_ms'] as const;

/** What a new run takes from its parent. */
type ParentRun = Pick<RunRow, (typeof PARENT_COLUMNS)[number]>;

/** These columns never change, so they are read without a lock. Undefined for a run without a parent. */
async function readParent(
  on: Pick<Queries, 'read'>,
  { parent, project_id }: Pick<NewRun, 'parent' | 'project_id'>,
): Promise<ParentRun | undefined> {
  if (parent === undefined) return undefined;
  const [row] = await on.read<ParentRun>(
    `SELECT ${PARENT_COLUMNS.join(', ')} FROM runs_runs WHERE run_id = ? AND project_id = ?`,
    [parent, project_id],
  );
  if (!row) throw Errors.notFound(`the parent run ${parent} does not exist`);
  return row;
}

/**
 * Throws `chain_too_deep` for a run with more than `MAX_RUN_DEPTH` runs above it. Pruned runs do not count: a chain that lasts so
 * long is not out of control.
 */
async function assertDepth(on: Pick<Queries, 'read'>, run: Pick<NewRun, 'parent'>): Promise<void> {
  let above = run.parent ?? null;
  for (let depth = 1; above !== null; depth++) {
    if (depth > MAX_RUN_DEPTH)
      throw chainTooDeep(
        `the run would be number ${depth} in a chain of runs that spawn runs; a chain can have at most ${MAX_RUN_DEPTH}`,
      );
    const [row]: { parent: string | null }[] = await on.read('SELECT parent FROM runs_runs WHERE run_id = ?', [above]);
    above = row?.parent ?? null;
  }
}
