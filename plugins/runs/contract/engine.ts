import { token } from '../../../kernel/contracts/index.ts';
import type { ClaimRef } from './journal.ts';
import type { Run, SubmitResult, SubmitRun } from './run.ts';
import type { LogChunk } from './store.ts';
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
