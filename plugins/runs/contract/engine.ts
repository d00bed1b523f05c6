import { token, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ClaimRef } from './journal.ts';
import type { Run, SubmitResult, SubmitRun } from './run.ts';
import type { LogChunk, NewRun } from './store.ts';
import type { Problem, WorkflowDocument } from './workflow.ts';

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

/** Makes runs inside the transactions of others. */
export interface RunCreation {
  /** Checks and plans as a submit does. Outside of transactions. Throws `workflow_invalid` and the like. */
  prepare(run: SubmitRun): Promise<NewRun>;
  /**
   * The same without the checks, for a document that was checked when it was registered. Synchronous. Throws
   * `workflow_kind_unknown` when no plugin brings its kind any more.
   */
  plan(run: SubmitRun & { run_id?: string }): NewRun;
  /**
   * Makes the runs; one whose id or idempotency key exists is answered as a duplicate. The caller has had `Sealer.prepare` of
   * the orgs done before its transaction began.
   */
  createIn(tx: Transaction, runs: readonly NewRun[]): Promise<SubmitResult[]>;
}

export const RunCreation = token<RunCreation>('runs.RunCreation');

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
  /** Something that another plugin named: `bus.fired`. */
  topic(topic: string): void;
  onTopic(topic: string, listen: () => void): () => void;
  onWork(listen: () => void): () => void;
  onTimer(listen: (deadline: number) => void): () => void;
  onRun(run_id: string, listen: () => void): () => void;
  onRevoked(listen: (claim: ClaimRef & { agent_id: string; reason: string }) => void): () => void;
}

export const Wakeups = token<Wakeups>('runs.Wakeups');

/** A wake-up as it travels between servers: a few bytes, no value, only ids. */
export type WakeMessage =
  | { wake: 'work' }
  | { wake: 'timer'; deadline: number }
  | { wake: 'run'; run_id: string }
  | { wake: 'revoked'; claim: ClaimRef & { agent_id: string; reason: string } }
  /** Of another plugin: `bus.fired`. */
  | { wake: 'topic'; topic: string };

/** Carries wake-ups to other servers and back. Hints only: lost ones are made good by polling. */
export interface WakeRelay {
  /** Hears what this process says of itself; not what came from others. */
  onLocal(listen: (message: WakeMessage) => void): () => void;
  /** Says here what another server said. */
  deliver(message: WakeMessage): void;
}

export const WakeRelay = token<WakeRelay>('runs.WakeRelay');
