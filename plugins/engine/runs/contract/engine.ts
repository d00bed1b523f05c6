import {
  type CachedReads,
  type JsonSchema,
  type Scope,
  type ServiceError,
  token,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { ActivityContext } from './extension.ts';
import type { ClaimRef } from './journal.ts';
import type { OutlineItem } from './outline.ts';
import type { Run, SubmitResult, SubmitRun } from './run.ts';
import type { LogChunk, NewRun } from './store.ts';
import type { CheckedDocument, PlannedActivity, Problem, Reading, Review } from './workflow.ts';

/** What other plugins ask of the engine. */
export interface RunEngine {
  /** Checks, plans and stores. Throws `workflow_invalid` with its problems. */
  submit(run: SubmitRun): Promise<SubmitResult>;
  check(scope: Scope, document: CheckedDocument): Promise<Problem[]>;
  /**
   * The JSON Schema of the input that a workflow declares, whatever its kind and wherever it is stored; undefined: it takes any
   * input. Throws the errors of a submit for a workflow that does not exist.
   */
  inputSchema(scope: Scope, workflow: CheckedDocument): Promise<JsonSchema | undefined>;
  /** A closer look at a document that has no problem. */
  review(scope: Scope, document: CheckedDocument): Promise<Review>;
  /**
   * What a workflow may do, read from its text. A workflow that does not exist or that nobody can read has an `unknown` item that
   * says why. At most `MAX_OUTLINE_ITEMS`.
   */
  outline(scope: Scope, workflow: CheckedDocument): Promise<readonly OutlineItem[]>;
  /** With secret values masked. Throws `not_found`. In a transaction `on` is that transaction, and the org's keys are ready. */
  read(scope: { org_id: string; project_id: string }, run_id: string, on?: CachedReads): Promise<Run>;
  /** The log of a run after `after` (exclusive), oldest first; or before it, newest first. */
  logs(run_id: string, after: string | undefined, limit: number, direction?: LogDirection): Promise<StoredLog[]>;
}

/** What a run gets from the job that makes it. */
export type InheritedRun = Pick<
  SubmitRun,
  | 'org_id'
  | 'project_id'
  | 'org'
  | 'project'
  | 'subject'
  | 'trigger'
  | 'trusted'
  | 'generation'
  | 'priority'
  | 'parent'
  | 'submitted_by'
>;

/** Creates runs inside the transactions of others. */
export interface RunCreation {
  /**
   * Checks and plans like a submit, outside of transactions. Throws `workflow_invalid` and the other errors of a
   * submit. `by`: the run that asks for it, which may name only files that it has or has brought.
   */
  prepare(run: SubmitRun, by?: string): Promise<NewRun>;
  /**
   * The same without the checks, for a document that was checked at registration. Reads only through `on`, which is the
   * caller's transaction if there is one; the org's keys are ready. Throws `workflow_kind_unknown` when no plugin
   * brings the kind any more, and the kind's own refusals.
   */
  plan(on: Reading, run: SubmitRun & { run_id?: string }): Promise<NewRun>;
  /**
   * What a program is as a job of another run: its activity, which has a journal of its own. Undefined for a document whose
   * kind makes a run of it, and for a stored one. It was checked with the document of that run; reads only through `on`.
   * Throws `workflow_kind_unknown`, `invalid_request` for a document that is of no kind, and the kind's own refusals.
   */
  program(
    on: Reading,
    run: { org_id: string; project_id: string; run_id: string },
    document: CheckedDocument,
  ): Promise<PlannedProgram | undefined>;
  /** What a run has of the run that creates it. Throws `not_found` when that run no longer exists. */
  inherit(on: Reading, context: ActivityContext): Promise<InheritedRun>;
  /**
   * Creates the runs. A run whose id or idempotency key exists is answered as a duplicate. The caller must call
   * `Sealer.prepare` for the orgs before its transaction.
   */
  createIn(tx: Transaction, runs: readonly NewRun[]): Promise<SubmitResult[]>;
  /**
   * Why untrusted runs of a project may start no further ones now; undefined: they may. `createIn` refuses what they spawn and
   * call itself.
   */
  untrustedRefusal(on: Pick<CachedReads, 'read'>, scope: { project_id: string }): Promise<ServiceError | undefined>;
  /**
   * Counts runs that something of an untrusted run starts, now or later, and deliveries that start none, for what that run may
   * store; answers why it may not.
   * `createIn` does it itself for what runs spawn and call. Does nothing for trusted runs, and those that are over.
   */
  countStarted(tx: Transaction, run_id: string, runs: number, deliveries?: number): Promise<ServiceError | undefined>;
  /** Counts one more run that a run spawns; its row is locked. Throws `spawn_limit`. */
  countSpawn(tx: Transaction, run: { run_id: string; trusted: boolean }): Promise<void>;
  /** Counts children and called runs of an untrusted run. Throws `run_storage_limit`. */
  countChildren(tx: Transaction, run_id: string, children: number): Promise<void>;
}

/** The activity of a program, and the JSON Schema, as text, of the input that it declares. */
export interface PlannedProgram {
  activity: PlannedActivity;
  input_schema?: string | undefined;
}

export const RunCreation = token<RunCreation>('runs.RunCreation');

export type LogDirection = 'forth' | 'back';

export interface StoredLog {
  log_id: string;
  activity_id: string;
  stream: LogChunk['stream'];
  at: number;
  /** The claim under which it was printed, from 1, as calls have it. */
  pass: number;
  /** The durable call that the program had made last; absent before its first new one. */
  site?: string | undefined;
  data: Buffer;
}

export const RunEngine = token<RunEngine>('runs.RunEngine');

/** What changed of a run: only its log; what its steps view shows; or its record too. */
export type RunPart = 'log' | 'steps' | 'run';

export interface RunChange {
  /** For those who listen to a whole project. */
  project_id: string;
  part: RunPart;
  /** It has ended. */
  over?: boolean;
}

/** A claim that was revoked; without an agent, the last one of an activity that has ended while it waited. */
export interface RevokedClaim extends ClaimRef {
  agent_id: string | null;
  reason: string;
}

/** A claim, and the agent that has it. */
export interface AgentClaim extends ClaimRef {
  agent_id: string;
}

/** Notified after a commit in this process that work may be claimable or something has changed. */
export interface Wakeups {
  /** Work became claimable. */
  work(): void;
  /** A timer may be due earlier than known. `deadline` is epoch ms by the database's clock. */
  timer(deadline: number): void;
  /** A run changed. Followers read again. */
  run(run_id: string, change: RunChange): void;
  /** A claim was revoked: its agent should stop the work now. */
  revoked(claim: RevokedClaim): void;
  /** The run of a claim was paused: its agent should stop before the next call. */
  paused(claim: AgentClaim): void;
  /** A topic of another plugin: `bus.fired`. */
  topic(topic: string): void;
  onTopic(topic: string, listen: () => void): () => void;
  onWork(listen: () => void): () => void;
  onTimer(listen: (deadline: number) => void): () => void;
  /** `part` is undefined when another server did not say it. */
  onRun(run_id: string, listen: (over: boolean, part: RunPart | undefined) => void): () => void;
  /** Every run of a project. Costs nothing while nobody listens. */
  onRuns(project_id: string, listen: (run_id: string, part: RunPart | undefined) => void): () => void;
  onRevoked(listen: (claim: RevokedClaim) => void): () => void;
  onPaused(listen: (claim: AgentClaim) => void): () => void;
}

export const Wakeups = token<Wakeups>('runs.Wakeups');

/** A wake-up between servers: a few bytes with ids only, never a value. */
export type WakeMessage =
  | { wake: 'work' }
  | { wake: 'timer'; deadline: number }
  | ({ wake: 'run'; run_id: string } & Partial<RunChange>)
  | { wake: 'revoked'; claim: RevokedClaim }
  | { wake: 'paused'; claim: AgentClaim }
  /** Of another plugin: `bus.fired`. */
  | { wake: 'topic'; topic: string };

/** Carries wake-ups to other servers and back. They are hints: polling makes up for lost ones. */
export interface WakeRelay {
  /** Reports wake-ups of this process, not those of other servers. */
  onLocal(listen: (message: WakeMessage) => void): () => void;
  /** Delivers a wake-up of another server here. */
  deliver(message: WakeMessage): void;
}

export const WakeRelay = token<WakeRelay>('runs.WakeRelay');
