import {
  distinct,
  inList,
  chunks,
  type BatchOutcome,
  type Database,
  type GroupCommit,
  type Transaction,
  retryUnknownCommit,
} from '../../../kernel/contracts/index.ts';
import type { AuditEntry } from '../../audit/contract.ts';
import type { InstantClaimer, NewRun, RunStatus, SubmitResult, SubmitRun } from '../contract.ts';
import { checkNewRun, envelopeOf } from '../domain/new-run-rules.ts';
import { takenClaim } from './add-claimed.ts';
import { type Announcement, announce } from './announce.ts';
import type { TakenClaim } from './claim.ts';
import { insertDeadlines } from './deadlines.ts';
import { refuseDeep } from './depth.ts';
import { idempotencyDigest, sourceDigest } from './keys.ts';
import type { StoreParts } from './parts.ts';
import { type LockedRun, newRunRow, type Submission } from './run-columns.ts';
import { type Parent, parentOf } from './parent.ts';
import { COMPARED, type Compared, differs, type Repeated } from './repeats.ts';
import { settleRun } from './run-end.ts';
import { sealEnv, sealEnvelope } from './sealing.ts';
import { markStarted } from './start-runs.ts';
import { noteUntrusted, refuseBeyond } from './untrusted-runs.ts';
import { insertParts, insertRunRows, type TakenActivity } from './submit-rows.ts';

const EXISTING = `SELECT key_digest, status, ${COMPARED.join(', ')} FROM runs_runs`;
const BATCH = 64;

interface Existing extends Compared {
  key_digest: string | null;
  status: RunStatus;
}

/** Creates runs, many in one transaction. A key or run id that exists answers the run that has it (I5, I8). */
export class Submits {
  readonly #store: StoreParts;
  readonly #commits: GroupCommit<Submission, SubmitResult>;

  constructor(store: StoreParts) {
    this.#store = store;
    this.#commits = store.group_commits.create<Submission, SubmitResult>({
      name: 'runs.submit',
      max_batch: BATCH,
      flush: (tx, batch) => flush(tx, batch, store),
    });
  }

  async createRun(run: NewRun): Promise<SubmitResult> {
    checkNewRun(run);
    // What the run is given is sealed, and observers in the transaction may seal too.
    await this.#store.sealer.prepare(run.org_id);
    const { database } = this.#store;
    const trace = run.trace ?? this.#store.spans?.ambient() ?? null;
    const submission = await this.#submissionOf(database, { ...run, trace });
    return retryUnknownCommit(() => this.#commits.submit(submission));
  }

  /** The same in the caller's transaction. The org's keys must be ready. */
  async createIn(tx: Transaction, runs: readonly NewRun[]): Promise<SubmitResult[]> {
    const batch: Submission[] = [];
    for (const run of runs) {
      checkNewRun(run);
      batch.push(await this.#submissionOf(tx, run));
    }
    const admitted = await admit(tx, this.#store, batch);
    if (admitted.length < batch.length) throw this.#store.admission.refusal();
    return (await flushAdmitted(tx, batch, this.#store)).map((outcome) => {
      if ('error' in outcome) throw outcome.error;
      return outcome.ok;
    });
  }

  async #submissionOf(on: Database | Transaction, run: NewRun): Promise<Submission> {
    const parent = await parentOf(on, run);
    // I16: a child is never trusted more than its parent.
    const trusted = run.trusted && parent?.trusted !== 0;
    await refuseDeep(on, run);
    return {
      run: this.#timed(await this.#masked(on, run), { trusted, parent, usual_ms: await this.#usualTimeout(on, run) }),
      trusted,
      key_digest: run.idempotency_key === undefined ? null : idempotencyDigest(run.idempotency_key),
      source_digest: sourceDigest(run.source, run.files),
      lanes: await this.#lanesOf(on, run, trusted),
      envelope: sealEnvelope(this.#store.sealer, run, envelopeOf(run)),
      env: sealEnv(this.#store.sealer, run, run.env),
      trace: run.trace ?? (parent && this.#store.spans?.below(parent)) ?? null,
      attempted: false,
    };
  }

  /** What the project says; nothing is looked up for a run that says it itself. */
  async #usualTimeout(on: Database | Transaction, { timeout_ms, project_id }: NewRun): Promise<number | undefined> {
    if (timeout_ms !== undefined) return undefined;
    return (await this.#store.settings.lately(on, project_id)).timeout_ms;
  }

  /**
   * Nobody waits for an untrusted run for ever, and it holds its place for no longer than this. What it starts ends with its
   * own time: otherwise it would go on by starting itself again. A rerun is somebody else's wish.
   */
  #timed(
    run: NewRun,
    { trusted, parent, usual_ms }: { trusted: boolean; parent: Parent | undefined; usual_ms: number | undefined },
  ): NewRun {
    const times = run.timeout_ms === undefined ? [usual_ms] : [run.timeout_ms];
    if (!trusted && run.timeout_ms === undefined) times.push(this.#store.limits.untrusted_timeout_ms);
    if (!trusted && parent?.trusted === 0 && parent.timeout_ms !== null && run.triggered !== true)
      times.push(Math.max(1, parent.created_at + parent.timeout_ms - this.#store.database.now()));
    const given = times.filter((time) => time !== undefined);
    return given.length === 0 ? run : { ...run, timeout_ms: Math.min(...given) };
  }

  /** A child's document is written by its parent: what can be found by its text must hold no secret of that. */
  async #masked(on: Database | Transaction, run: NewRun): Promise<NewRun> {
    const { parent, org_id, project_id } = run;
    if (parent === undefined) return run;
    const masker = await this.#store.masks.of({ org_id, project_id, run_id: parent }, on);
    if (masker.idle) return run;
    const text = <T extends string | undefined>(given: T) => (given === undefined ? given : masker.text(given));
    const { subject, tags, filename, workflow } = run;
    return {
      ...run,
      ...{ subject: text(subject), filename: text(filename), workflow: masker.text(workflow) },
      tags: tags?.map((tag) => masker.text(tag)),
    };
  }

  /** By its key alone: other members of a repeated request may have become invalid. */
  async findSubmitted(run: SubmitRun): Promise<SubmitResult | undefined> {
    if (run.idempotency_key === undefined) return undefined;
    const [first] = await this.#store.database.read<Existing>(`${EXISTING} WHERE project_id = ? AND key_digest = ?`, [
      run.project_id,
      idempotencyDigest(run.idempotency_key),
    ]);
    if (!first) return undefined;
    await this.#store.sealer.prepare(run.org_id);
    return duplicateOf(this.#store, first, run);
  }

  async #lanesOf(on: Database | Transaction, run: NewRun, trusted: boolean): Promise<string[]> {
    const lanes: string[] = [];
    for (const activity of run.activities)
      lanes.push(await this.#store.lanes.laneFor(on, run.org_id, activity, trusted));
    return lanes;
  }
}

/** Those for which their projects have no room are refused, and the others are not. */
async function flush(
  tx: Transaction,
  batch: readonly Submission[],
  store: StoreParts,
): Promise<BatchOutcome<SubmitResult>[]> {
  const admitted = await admit(tx, store, batch);
  const outcomes = new Map<Submission, BatchOutcome<SubmitResult>>();
  for (const [at, outcome] of (await flushAdmitted(tx, admitted, store)).entries())
    outcomes.set(admitted[at]!, outcome);
  return batch.map((submission) => outcomes.get(submission) ?? { error: store.admission.refusal() });
}

/**
 * Leaves out those for which their projects have no room. What exists already is found whatever the room: a repeat is no
 * further run.
 */
async function admit(tx: Transaction, store: StoreParts, batch: readonly Submission[]): Promise<readonly Submission[]> {
  const left = new Map<string, number>();
  for (const [project_id, own] of Map.groupBy(batch, ({ run }) => run.project_id)) {
    const asking = own.filter(({ run }) => !run.admitted).length;
    if (asking > 0) left.set(project_id, await store.admission.room(tx, project_id, asking));
  }
  const full = batch.filter(({ run }) => {
    if (run.admitted) return false;
    const room = left.get(run.project_id)!;
    left.set(run.project_id, room - 1);
    return room <= 0;
  });
  if (full.length === 0) return batch;
  const existing = await findExisting(tx, full, () => true);
  const refused = new Set(full.filter((submission) => existingOf(existing, submission) === undefined));
  return batch.filter((submission) => !refused.has(submission));
}

async function flushAdmitted(
  tx: Transaction,
  batch: readonly Submission[],
  store: StoreParts,
): Promise<BatchOutcome<SubmitResult>[]> {
  const again = new Set(batch.filter((submission) => submission.attempted));
  const before = await findExisting(tx, batch, ({ attempted }) => attempted);
  const wanted = firsts(batch).filter((submission) => existingOf(before, submission) === undefined);
  const refused = await refuseBeyond(tx, store.limits, wanted);
  const fresh = wanted.filter((submission) => !refused.has(submission));
  for (const submission of fresh) submission.attempted = true;
  const { made, taken } = await insertRuns(tx, store, fresh);
  for (const [project_id, own] of Map.groupBy(made, ({ run }) => run.project_id))
    store.admission.made(project_id, own.length);
  await store.audit.recordAll(tx, made.flatMap(auditOf));
  const submitted = made.map(({ run, trusted }) => ({ ...run, trusted }));
  if (submitted.length > 0) for (const observer of store.submit_observers) await observer.onSubmitted(tx, submitted);
  const announcements: Announcement[] = [];
  for (const submission of made) await begin(tx, store, submission, announcements);
  const claimed = await startTaken(tx, store, taken, announcements);
  await announce(tx, store, announcements, store.database.now());
  for (const observer of store.submit_observers) await observer.onWritten?.(tx);
  tx.afterCommit(() => {
    for (const { run, trusted } of made) {
      const place = { ...placeOf(run), coordinated: run.coordination !== undefined, trusted };
      for (const { activity_id } of run.activities) store.owners.remember({ ...place, activity_id });
      store.wakeups.run(run.run_id, { project_id: run.project_id, part: 'run' });
    }
    for (const { claimer, claim } of claimed) store.instant.handOver(claimer, claim);
    // A coordinator tells of the activities that it adds.
    if (made.reduce((count, { run }) => count + run.activities.length, 0) > taken.length) store.wakeups.work();
  });
  // Fewer runs than requested: somebody was first with a key or an id.
  const all =
    made.length + refused.size === batch.length
      ? new Map<string, Existing>()
      : await findExisting(tx, batch, () => true);
  const ours = new Set([...made, ...again]);
  return batch.map((submission) => {
    const error = refused.get(submission);
    return error ? { error } : { ok: answer(store, submission, ours, all) };
  });
}

const placeOf = ({ run_id, org_id, project_id }: NewRun) => ({ run_id, org_id, project_id });

/** A coordinated run begins in the transaction that creates it, and may even end in it. */
async function begin(
  tx: Transaction,
  store: StoreParts,
  submission: Submission,
  announcements: Announcement[],
): Promise<void> {
  const { coordination } = submission.run;
  if (!coordination) return;
  // Nobody else sees the row before the commit.
  const { envelope, ...run } = newRunRow(submission);
  await settleRun(tx, store, run, {
    envelope,
    announcements,
    work: (coordinator, held) => coordinator.begin(tx, held, coordination.plan),
  });
  submission.status = run.status;
}

/** Runs begin with the first of their activities that is claimed from the start. */
async function startTaken(
  tx: Transaction,
  store: StoreParts,
  taken: readonly TakenActivity[],
  announcements: Announcement[],
): Promise<{ claimer: InstantClaimer; claim: TakenClaim }[]> {
  if (taken.length === 0) return [];
  const runs = new Map<Submission, LockedRun>();
  for (const { submission } of taken) if (!runs.has(submission)) runs.set(submission, newRunRow(submission));
  const started = await markStarted(tx, [...runs.values()], store.database.now());
  announcements.push(...started.map((run) => ({ run })));
  return taken.map(({ submission, claimer, row }) => ({ claimer, claim: takenClaim(runs.get(submission)!, row) }));
}

/** Of several runs with one key or id in a batch, the first is created. */
function firsts(batch: readonly Submission[]): Submission[] {
  const seen = new Set<string>();
  return batch.filter((submission) => {
    const names = namesOf(submission);
    const first = names.every((name) => !seen.has(name));
    for (const name of names) seen.add(name);
    return first;
  });
}

function auditOf({ run }: Submission): AuditEntry[] {
  const { by, org_id, project_id, run_id, workflow } = run;
  return by ? [{ ...by, org_id, project_id, action: 'run.submit', subject: run_id, detail: workflow }] : [];
}

const namesOf = ({ run, key_digest }: Submission): string[] =>
  key_digest === null ? [run.run_id] : [run.run_id, `${run.project_id} ${key_digest}`];

const existingOf = (existing: ReadonlyMap<string, Existing>, submission: Submission): Existing | undefined =>
  namesOf(submission)
    .map((name) => existing.get(name))
    .find((found) => found !== undefined);

/** Existing runs with a key of the batch, or with one of the chosen ids, indexed by both. */
async function findExisting(
  tx: Transaction,
  batch: readonly Submission[],
  by_id: (submission: Submission) => boolean,
): Promise<Map<string, Existing>> {
  const found = new Map<string, Existing>();
  const note = (row: Existing) => {
    found.set(row.run_id, row);
    if (row.key_digest !== null) found.set(`${row.project_id} ${row.key_digest}`, row);
  };
  for (const ids of chunks(distinct(batch.filter(by_id), ({ run }) => run.run_id))) {
    const list = inList(ids);
    for (const row of await tx.read<Existing>(`${EXISTING} WHERE run_id IN ${list.marks}`, list.params)) note(row);
  }
  for (const { run, key_digest } of batch) {
    if (key_digest === null) continue;
    const params = [run.project_id, key_digest];
    for (const row of await tx.read<Existing>(`${EXISTING} WHERE project_id = ? AND key_digest = ?`, params)) note(row);
  }
  return found;
}

/** Answers those that were really inserted, and which of their activities are claimed. */
async function insertRuns(
  tx: Transaction,
  store: StoreParts,
  fresh: readonly Submission[],
): Promise<{ made: Submission[]; taken: TakenActivity[] }> {
  if (fresh.length === 0) return { made: [], taken: [] };
  const now = store.database.now();
  await store.sources.store(tx, fresh, now);
  const inserted = await insertRunRows(tx, fresh, now);
  const made = inserted === fresh.length ? [...fresh] : await reallyInserted(tx, fresh);
  await noteUntrusted(tx, made);
  await insertDeadlines(tx, store, made, now);
  const taken = await insertParts(tx, store, made, now);
  for (const { run } of made) if (run.parent !== undefined) await store.masks.inherit(tx, run.parent, [run.run_id]);
  return { made, taken };
}

/** A run that lost to another server has no row of its own, or an older row that has activities or has begun. */
async function reallyInserted(tx: Transaction, fresh: readonly Submission[]): Promise<Submission[]> {
  const list = inList(fresh.map(({ run }) => run.run_id));
  const rows = await tx.read<{ run_id: string }>(
    `SELECT run_id FROM runs_runs WHERE run_id IN ${list.marks}
     AND status = 'queued' AND NOT EXISTS (SELECT 1 FROM runs_activities WHERE runs_activities.run_id = runs_runs.run_id)`,
    list.params,
  );
  const made = new Set(rows.map((row) => row.run_id));
  return fresh.filter(({ run }) => made.has(run.run_id));
}

function answer(
  store: Pick<StoreParts, 'sealer'>,
  submission: Submission,
  ours: Set<Submission>,
  existing: ReadonlyMap<string, Existing>,
): SubmitResult {
  const { run } = submission;
  const first = existingOf(existing, submission);
  if (ours.has(submission) && (first === undefined || first.run_id === run.run_id))
    return { run_id: run.run_id, status: first?.status ?? submission.status ?? 'queued', duplicate: false };
  if (!first) throw new Error(`run ${run.run_id} was neither made nor found`);
  return duplicateOf(store, first, run);
}

function duplicateOf(store: Pick<StoreParts, 'sealer'>, first: Existing, repeat: Repeated): SubmitResult {
  const another = differs(store.sealer, first, repeat) ? { source_differs: true } : {};
  return { run_id: first.run_id, status: first.status, duplicate: true, ...another };
}
