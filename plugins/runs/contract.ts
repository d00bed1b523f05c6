import type { Fault, Transaction } from '../../kernel/contracts/index.ts';
import { extensionPoint, token } from '../../kernel/contracts/index.ts';
import type { AuditSource } from '../audit/contract.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
export const TERMINAL: readonly RunStatus[] = ['succeeded', 'failed', 'cancelled'];

/** How a run came to be. `manual`, `push`, `schedule.tick`, `spawn` or an event's type. */
export interface Trigger {
  type: string;
  [field: string]: Json;
}

/** A run as a plugin hands it over; the engine gives it its id and its first activities. */
export interface SubmitRun {
  org_id: string;
  project_id: string;
  /** Names of the two; immutable, so the run keeps them. */
  org: string;
  project: string;
  /** Kind of workflow; absent: found from `filename` and `source` by the workflow kinds. */
  kind?: string;
  filename?: string;
  source: string;
  interpreter?: string;
  /** Anything the caller passes; reaches the program as `input` of its input file. */
  input?: Json;
  env?: Record<string, string>;
  /** Variable → name of a credential or account, put in place when a job is claimed. Scripts only. */
  credentials?: Record<string, string>;
  tags?: string[];
  subject?: string;
  requires?: string[];
  trigger: Trigger;
  /** What the input file holds beside `input` and `parent`; absent: the trigger's fields. */
  envelope?: { type: string; [key: string]: Json };
  trusted: boolean;
  generation: number;
  parent?: string;
  idempotency_key?: string;
  /** Who submitted, for the record: a principal's id. */
  submitted_by?: string;
  /** Whose request it is; audited with the run. Absent: the service itself submits. */
  by?: AuditSource;
}

export interface SubmitResult {
  run_id: string;
  status: RunStatus;
  duplicate: boolean;
  /** Only on a duplicate: the source differs from the first one's. */
  source_differs?: boolean;
}

/** What the run record shows; times are epoch ms (routes render ISO 8601). */
export interface Run {
  run_id: string;
  org_id: string;
  project_id: string;
  kind: string;
  /** The name shown for the workflow: the file's base name, or its kind. */
  workflow: string;
  status: RunStatus;
  substate: Substate | null;
  subject: string | null;
  tags: string[];
  trigger: Trigger;
  trusted: boolean;
  generation: number;
  parent: string | null;
  rerun_of: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  output: Json;
  error: { code: string; message: string } | null;
  cancel_reason: string | null;
  /** Variable → name, never a value; absent: none was named. */
  credentials?: Record<string, string>;
  annotations: string[];
}

export type SubstateKind = 'sleep' | 'signal' | 'event' | 'awaiting_lease' | 'activity' | 'child';

/** What the most recently parked activity waits for. */
export interface Substate {
  kind: SubstateKind;
  name: string;
  since: number;
  deadline?: number;
}

/** One durable call of an activity. Immutable once recorded (invariant I1). */
export interface JournalRecord {
  /** 0-based, without gaps. */
  position: number;
  /** The verb: `step`, `sleep`, `wait-signal`, `state`… */
  kind: string;
  /** Step name, signal name, `set <key>`…; empty for verbs without one. */
  name: string;
  /** How often this activity reached (kind, name) before. `site` is `name#ordinal`. */
  ordinal: number;
  /** Digest of the arguments that replay compares; empty when only kind and name count. */
  digest: string;
  label?: string;
  exit_code: number;
  /** stdout, base64: byte-exact, NUL and missing final newline included. */
  output: string;
  /** Text for stderr and the steps view: why a call failed. */
  message?: string;
  /** Epoch ms at the agent; display only. */
  started_at: number;
}

export const siteOf = (record: { kind: string; name: string; ordinal: number }): string =>
  `${record.name === '' ? record.kind : record.name}#${record.ordinal}`;

/** Names a claim. Every write of an agent carries one; a stale one is refused with `lease_lost` (I2). */
export interface ClaimRef {
  activity_id: string;
  epoch: number;
}

/** A claimed activity with everything an agent needs to run it. */
export interface Claimed extends ClaimRef {
  run_id: string;
  org_id: string;
  project_id: string;
  org: string;
  project: string;
  /** Executor that runs it, e.g. `script`. */
  executor: string;
  name: string;
  /** How many passes were started before this one. */
  pass: number;
  /** How long it was claimable before this claim, by the database's clock; for the metrics. */
  waited_ms?: number;
  /** What the executor needs; made by the workflow kind at submit. */
  spec: Json;
  /** The input file's object: `{type, event?, payload?, key?, input?, …}`. */
  envelope: { type: string; [key: string]: Json };
  trusted: boolean;
  journal: JournalRecord[];
}

/** A wait to be armed at the next position. */
export interface ArmWait {
  position: number;
  /** A registered wait kind: `sleep`, `wait-signal`… equals the verb. */
  kind: string;
  name: string;
  ordinal: number;
  digest: string;
  label?: string;
  /** Counted from the first park. Absent: waits for ever. */
  timeout_ms?: number;
  args: Json;
  started_at: number;
}

/** How a wait ended; becomes the journal record of its position, exactly once (I9). */
export interface WaitOutcome {
  exit_code: number;
  /** stdout bytes. */
  output: Buffer;
  message?: string;
}

export type Completion =
  | { status: 'succeeded'; output: Json }
  | { status: 'failed'; code: string; message: string; exit_code?: number };

export interface Capabilities {
  agent_id: string;
  /** Undefined: claims for every org (the built-in agent of `svc dev` and `svc run`). */
  org_id?: string;
  capabilities: readonly string[];
}

/**
 * The engine's store: one method per state transition, each one transaction, each guarded. Both engines pass
 * `test/conformance/store.testsuite.ts`. Errors: `lease_lost`, `run_finished`, `not_found`, `journal_conflict`.
 */
export interface RunStore {
  createRun(run: NewRun): Promise<SubmitResult>;
  /** pending → claimed(epoch+1); at most `limit`, oldest first, only what the capabilities cover. */
  claim(by: Capabilities, limit: number, lease_ms: number): Promise<Claimed[]>;
  /** Extends the deadlines; answers the claims that are lost. */
  renew(agent_id: string, claims: readonly ClaimRef[], lease_ms: number): Promise<{ lost: ClaimRef[] }>;
  /** Adds one record; group-committed. Answers after the commit. */
  append(claim: ClaimRef, record: JournalRecord): Promise<void>;
  /** Does a journaled verb's database work and adds its record in one transaction. */
  perform(claim: ClaimRef, call: JournaledCall): Promise<JournalRecord>;
  /** claimed → parked, or the outcome at once (recorded, still claimed). */
  park(claim: ClaimRef, wait: ArmWait): Promise<{ parked: true } | { record: JournalRecord }>;
  /** claimed → done | failed, and the run with it when it was the last. */
  complete(claim: ClaimRef, completion: Completion): Promise<void>;
  /** claimed → pending at once: the agent drains, or its executor could not start. */
  release(claim: ClaimRef): Promise<void>;
  /** Takes back the claims that `agent_id` held before and no longer names. */
  releaseAllBut(agent_id: string, holding: readonly ClaimRef[]): Promise<number>;
  sendSignal(signal: SendSignal): Promise<void>;
  cancelRun(cancel: CancelRun): Promise<Run>;
  /** Resolves waits whose deadline passed; answers how many, and the next deadline (epoch ms, database time). */
  resolveDue(limit: number): Promise<{ resolved: number; next: number | null }>;
  /** claimed and past its deadline → pending. */
  expireClaims(limit: number): Promise<number>;
  annotate(claim: ClaimRef, nth: number, text: string): Promise<void>;
  appendLogs(claim: ClaimRef, chunks: readonly LogChunk[]): Promise<void>;
}

export interface NewRun extends SubmitRun {
  run_id: string;
  kind: string;
  workflow: string;
  activities: readonly NewActivity[];
}

export interface NewActivity {
  activity_id: string;
  name: string;
  executor: string;
  spec: Json;
  requires: readonly string[];
}

export interface JournaledCall {
  position: number;
  kind: string;
  name: string;
  ordinal: number;
  digest: string;
  label?: string;
  args: Json;
  started_at: number;
}

export interface SendSignal {
  org_id: string;
  project_id: string;
  run_id: string;
  name: string;
  payload: Json;
  /** Whose request it is; audited with the signal. Absent: the service itself sends. */
  by?: AuditSource;
}

export interface CancelRun {
  org_id: string;
  project_id: string;
  run_id: string;
  reason: string;
  /** Whose request it is; audited with the cancel. Absent: the service itself cancels. */
  by?: AuditSource;
}

export interface LogChunk {
  /** Counts from 0 within the claim; a repeat of a number is the same chunk. */
  n: number;
  stream: 'stdout' | 'stderr' | 'system';
  /** Epoch ms at the agent. */
  at: number;
  /** base64 */
  data: string;
}

/** Where a verb runs inside the engine's transaction. */
export interface ActivityContext {
  org_id: string;
  project_id: string;
  run_id: string;
  activity_id: string;
  subject: string | null;
  generation: number;
  trusted: boolean;
}

/** A verb that does database work and is recorded with it: `state`; later `emit`, `spawn`, `activity-submit`. */
export interface JournaledVerb {
  kind: string;
  /** Inside the transaction; may run again after a deadlock. Throws ServiceError to refuse: nothing is recorded. */
  perform(tx: Transaction, context: ActivityContext, args: Json): Promise<WaitOutcome>;
}

/** A thing an activity can wait for. */
export interface WaitKind {
  kind: string;
  substate: SubstateKind;
  /** The signal queue that ends this wait, for kinds that a signal can end; the signal's payload is the outcome. */
  signal?(context: ActivityContext, wait: ArmWait): string;
  /** The outcome when it is there already; inside the parking transaction, which holds the run's row. */
  tryResolve(tx: Transaction, context: ActivityContext, wait: ArmWait): Promise<WaitOutcome | undefined>;
  /** The outcome when `timeout_ms` has passed. */
  expire(wait: { name: string; args: Json }): WaitOutcome;
}

/** Resolves armed waits from outside the engine (signals; later the bus, leases and children). */
export interface WaitResolver {
  /** Armed → resolved with this outcome, the record written and the activity pending again; false when another outcome won. */
  resolve(
    tx: Transaction,
    wait: { run_id: string; activity_id: string; position: number },
    outcome: WaitOutcome,
  ): Promise<boolean>;
}

/** Hears of run transitions inside the transaction that makes them: the bus, metrics, parents. */
export interface RunObserver {
  name: string;
  onTransition(tx: Transaction, run: RunTransition): Promise<void>;
}

export interface RunTransition {
  type: 'run.started' | 'run.succeeded' | 'run.failed' | 'run.cancelled';
  org_id: string;
  project_id: string;
  run_id: string;
  subject: string | null;
  generation: number;
  trusted: boolean;
  /** The lifecycle payload of the specification, already bounded to 4000 code points where it says so. */
  payload: { [key: string]: Json };
}

/** A kind of workflow: recognises its sources, checks them and says what runs first. */
export interface WorkflowKind {
  /** `script`, `pipeline`, `graph`, `node`. */
  kind: string;
  /** The versioned type, e.g. `svc/script/v1`. */
  type: string;
  /** Lower first; a script takes whatever nobody else recognises. */
  precedence: number;
  recognises(filename: string | undefined, source: string): boolean;
  /** Faults with their place; empty when fine. */
  check(document: WorkflowDocument): Promise<Problem[]>;
  /** The first activities. Only called when `check` found nothing. */
  plan(document: WorkflowDocument): PlannedActivity[];
}

export interface WorkflowDocument {
  filename: string | undefined;
  source: string;
  interpreter: string | undefined;
  env: Record<string, string>;
  requires: string[];
}

export interface PlannedActivity {
  name: string;
  executor: string;
  spec: Json;
  requires: string[];
}

export interface Problem {
  line: number;
  column: number;
  message: string;
  code: string;
}

/** Variables added to a job at claim time. */
export interface JobEnvironmentSource {
  name: string;
  /** Does a workflow's own `env` win over these (`below`), or these over it (`above`)? */
  layer: 'below' | 'above';
  provide(job: JobContext): Promise<JobVariable[]>;
}

/** The job that is claimed. */
export interface JobContext extends ActivityContext {
  /** What its run names: variable → name of a credential or account. */
  credentials: Readonly<Record<string, string>>;
}

export interface JobVariable {
  name: string;
  value: string;
  /** Masked in logs and views. */
  secret: boolean;
  /** Texts to be masked beside the value: the halves of a pair. */
  masks?: string[];
}

/** The environment of one claimed job, in the order in which its layers are applied. */
export interface JobEnvironmentLayers {
  below: JobVariable[];
  /** The `env` of the submit. */
  workflow: Record<string, string>;
  above: JobVariable[];
  /** Texts that nothing of this job may show: the secret values of this claim and of all earlier ones of its run. */
  masks?: readonly string[];
}

/** Asks every `JobEnvironment` source, in boot order, when a job is claimed. Holds nothing afterwards. */
export interface JobEnvironments {
  /** Throws what a source throws: a job never starts with half its environment. */
  environment(claimed: Claimed): Promise<JobEnvironmentLayers>;
}

export const JobEnvironments = token<JobEnvironments>('runs.JobEnvironments');

/** Knows the names that a submit may give in `credentials`. Without one, a submit that gives any is refused. */
export interface CredentialCheck {
  name: string;
  /** Throws `credential_missing` naming the variable. */
  check(scope: { org_id: string; project_id: string }, credentials: Readonly<Record<string, string>>): Promise<void>;
}

/** Unfinished runs that name a credential, newest first. */
export interface CredentialRuns {
  naming(
    scope: { org_id: string; project_id: string },
    credential: string,
    limit: number,
  ): Promise<{ run_id: string; workflow: string; variables: string[] }[]>;
}

export const CredentialRuns = token<CredentialRuns>('runs.CredentialRuns');

/**
 * Why a secret or a credential cannot be given to jobs under this name of a variable; undefined when it can. What the
 * service or the loader of programs reads is not for them to set.
 */
export function variableFault(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return 'must be a name of a variable: [A-Za-z_][A-Za-z0-9_]{0,127}';
  if (/^(SVC_|CI_TRIGGER_)/.test(name)) return 'must not begin with SVC_ or CI_TRIGGER_: those belong to the service';
  if (name === 'PATH' || name.startsWith('LD_'))
    return 'must not be PATH or begin with LD_: they decide what programs run';
  return undefined;
}

export const CredentialChecks = extensionPoint<CredentialCheck>('runs.CredentialChecks', {
  key: (check) => check.name,
});
export const WorkflowKinds = extensionPoint<WorkflowKind>('runs.WorkflowKinds', { key: (kind) => kind.kind });
export const WaitKinds = extensionPoint<WaitKind>('runs.WaitKinds', { key: (kind) => kind.kind });
export const JournaledVerbs = extensionPoint<JournaledVerb>('runs.JournaledVerbs', { key: (verb) => verb.kind });
export const RunObservers = extensionPoint<RunObserver>('runs.RunObservers', { key: (observer) => observer.name });
export const JobEnvironment = extensionPoint<JobEnvironmentSource>('runs.JobEnvironment', {
  key: (source) => source.name,
});

export const RunStore = token<RunStore>('runs.RunStore');
export const WaitResolver = token<WaitResolver>('runs.WaitResolver');

/** What other plugins ask of the engine. */
export interface RunEngine {
  /** Checks, plans and stores. Throws `workflow_invalid` with its problems. */
  submit(run: SubmitRun): Promise<SubmitResult>;
  check(document: Partial<WorkflowDocument> & { kind?: string; source: string }): Promise<Problem[]>;
  /** Throws `not_found`. */
  read(scope: { org_id: string; project_id: string }, run_id: string): Promise<Run>;
  /** Log of a run from `after` (exclusive) on, oldest first. */
  logs(run_id: string, after: string | undefined, limit: number): Promise<StoredLog[]>;
}

export interface StoredLog {
  log_id: string;
  activity_id: string;
  stream: LogChunk['stream'];
  at: number;
  data: Buffer;
}

export const RunEngine = token<RunEngine>('runs.RunEngine');

/** Told, after commit and in this process, that something may be claimable or has changed. */
export interface Wakeups {
  /** Work became claimable. */
  work(): void;
  /** A timer may be due earlier than known: its deadline, epoch ms by the database's clock. */
  timer(deadline: number): void;
  /** A run changed: status, steps or logs. Followers re-read. */
  run(run_id: string): void;
  /** A claim was taken away: its agent should stop the work now. */
  revoked(claim: ClaimRef & { agent_id: string; reason: string }): void;
  onWork(listen: () => void): () => void;
  onTimer(listen: (deadline: number) => void): () => void;
  onRun(run_id: string, listen: () => void): () => void;
  onRevoked(listen: (claim: ClaimRef & { agent_id: string; reason: string }) => void): () => void;
}

export const Wakeups = token<Wakeups>('runs.Wakeups');

export type { Fault };
