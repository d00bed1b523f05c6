import { token } from '../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../audit/contract.ts';
import type { ArmWait, Capabilities, ClaimRef, Claimed, Completion, JournalRecord } from './journal.ts';
import type { Json, Run, SubmitResult, SubmitRun } from './run.ts';

/**
 * The engine's store: one method per state transition, each one transaction, each guarded. Both engines pass
 * `test/conformance/store.testsuite.ts`. Errors: `lease_lost`, `run_finished`, `not_found`, `journal_conflict`.
 */
export interface RunStore {
  createRun(run: NewRun): Promise<SubmitResult>;
  /** The run that an idempotency key was used for, as `createRun` would answer it; undefined when it is unused. */
  findSubmitted(run: Pick<SubmitRun, 'project_id' | 'idempotency_key' | 'source'>): Promise<SubmitResult | undefined>;
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
  /** Versioned type, e.g. `svc/script/v1`. */
  workflow_type?: string;
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
  /** A second signal to the run with this key is the first one again, whatever it carries, and even after the end. */
  idempotency_key?: string;
  /** Whose request it is; audited with the signal. Absent: the service itself sends. */
  by?: AuditSource;
}

export interface CancelRun {
  org_id: string;
  project_id: string;
  run_id: string;
  reason: string;
  /** The event whose reaction this is. */
  cancelled_by?: { event: string; type: string };
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

export const RunStore = token<RunStore>('runs.RunStore');
