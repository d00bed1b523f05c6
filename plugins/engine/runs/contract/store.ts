import { isServiceError, token } from '../../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../../platform/audit/contract.ts';
import type { Attempted, FailedAttempt } from './attempts.ts';
import type { ArmWait, Capabilities, ClaimRef, Claimed, Completion, JournaledCall, JournalRecord } from './journal.ts';
import type { Coordination } from './coordination.ts';
import type { IncludedFile } from './files.ts';
import type { PauseRun, ResumeRun } from './pause.ts';
import type { Json, Run, SubmitResult, SubmitRun } from './run.ts';
import type { Approver } from './signal-terms.ts';
import type { SlotUse } from './slots.ts';
import type { WorkflowPin, WorkflowReference } from './workflow.ts';

/**
 * The engine's store: one guarded transaction for each state transition. Both engines pass
 * `test/conformance/store.testsuite.ts`. Errors: `lease_lost`, `run_finished`, `not_found`, `journal_conflict`.
 */
export interface RunStore {
  createRun(run: NewRun): Promise<SubmitResult>;
  /** The run of an idempotency key, as `createRun` would answer it; undefined when the key is unused. */
  findSubmitted(run: SubmitRun): Promise<SubmitResult | undefined>;
  /**
   * pending → claimed(epoch+1). At most `limit`, those of trusted runs first and of each kind the oldest, only activities of
   * these executors whose requirements the capabilities cover.
   */
  claim(by: Capabilities, limit: number, lease_ms: number): Promise<Claimed[]>;
  /** To which runs these activities belong, for the slots that they take. It never changes. */
  slotUsesOf(activity_ids: readonly string[]): Promise<ReadonlyMap<string, SlotUse>>;
  /** Extends the deadlines. Answers lost claims. */
  renew(agent_id: string, claims: readonly ClaimRef[], lease_ms: number): Promise<Renewal>;
  /** Adds one record by group commit. Answers after the commit. */
  append(claim: ClaimRef, record: JournalRecord): Promise<Appended>;
  /** Performs a journaled verb and adds its record in one transaction. */
  perform(claim: ClaimRef, call: JournaledCall): Promise<JournalRecord>;
  /** claimed → parked; or answers the outcome at once (recorded, still claimed). */
  park(claim: ClaimRef, wait: ArmWait): Promise<{ parked: true } | { record: JournalRecord }>;
  /**
   * Keeps a failed attempt of the next call of the journal. With `park` the activity is parked for the pause, and the call is
   * made again at the same position. A repeat gets the same answer.
   */
  attempt(claim: ClaimRef, failed: FailedAttempt): Promise<Attempted>;
  /** claimed → done | failed, and the run with it when it was the last activity. */
  complete(claim: ClaimRef, completion: Completion): Promise<void>;
  /** claimed → pending at once: the agent drains, or its executor could not start. */
  release(claim: ClaimRef): Promise<void>;
  /** Releases claims that `agent_id` held before and no longer names. */
  releaseAllBut(agent_id: string, holding: readonly ClaimRef[]): Promise<number>;
  sendSignal(signal: SendSignal): Promise<SentSignal>;
  cancelRun(cancel: CancelRun): Promise<Run>;
  /** Starts nothing new of an open run from now on; what agents are doing ends. */
  pauseRun(pause: PauseRun): Promise<Run>;
  resumeRun(resume: ResumeRun): Promise<Run>;
  /** Resolves waits whose deadline has passed. Answers how many, and the next deadline (epoch ms, database time). */
  resolveDue(limit: number): Promise<{ resolved: number; next: number | null }>;
  /** Claims past their deadline → pending. */
  expireClaims(limit: number): Promise<number>;
  /** Removes lanes that nobody has used for an hour. Answers how many were looked at. */
  removeIdleLanes(limit: number): Promise<number>;
  /** Runs whose time is over → failed with `deadline_exceeded`. Answers how many, and the next deadline. */
  endOverdue(limit: number): Promise<{ ended: number; next: number | null }>;
  annotate(claim: ClaimRef, nth: number, text: string): Promise<void>;
  appendLogs(claim: ClaimRef, chunks: readonly LogChunk[]): Promise<void>;
}

/** `paused`: the run is paused, so the agent stops before its next call. */
export interface Appended {
  paused?: true;
}

export interface Renewal {
  lost: ClaimRef[];
  /** The claims of paused runs. */
  paused?: ClaimRef[];
}

export interface NewRun extends Omit<SubmitRun, keyof WorkflowReference | 'pinned'> {
  run_id: string;
  /** True for an id that was made for this run, so that no other run can have it. */
  new_id?: boolean;
  kind: string;
  filename?: string;
  /** The whole document. */
  source: string;
  /** The stored document it was resolved from; absent: it was given inline. */
  pin?: WorkflowPin;
  workflow: string;
  /** Versioned type, e.g. `svc/script/v1`. */
  workflow_type?: string;
  /** At least one, or a coordination. */
  activities: readonly NewActivity[];
  /** The caller adds to it in the same transaction, so that nobody may claim it in the one that makes it. */
  unfinished?: boolean;
  /** The project had room for it when it was planned: what is triggered in the transactions of others is not refused there. */
  admitted?: boolean;
  /** Present: a coordinator says what comes after these. */
  coordination?: Coordination;
  /** Credentials that the document names: JSON pointer → name. */
  named?: Readonly<Record<string, string>>;
  /** The files beside its script, and those of the scripts that its document holds. */
  needed_files?: readonly IncludedFile[];
}

export interface NewActivity {
  activity_id: string;
  name: string;
  executor: string;
  /**
   * What its executor does. Two members of an object are for every executor that starts a process: `env` (variable → text)
   * and `credentials` (variable → name of a credential), as those of a submit, for this activity only. They win over those of
   * the run.
   */
  spec: Json;
  requires: readonly string[];
  /** It goes on with a journal that it has already: that of a job which is rerun from a site. */
  resumed?: boolean;
}

export interface SendSignal {
  org_id: string;
  project_id: string;
  run_id: string;
  name: string;
  payload: Json;
  /**
   * A repeated signal to the run with this key counts as the first one, whatever it carries, even after the run's end.
   */
  idempotency_key?: string;
  /** The requester, for the audit entry of the signal. Absent: the service itself sends. */
  by?: AuditSource;
  /** The person who sends it. A wait with approvers takes nothing from anybody else. */
  approver?: Approver;
  /** Rejects what the wait asks, instead of answering it. */
  rejected?: { reason: string | undefined };
  /** Only this wait can take it: the one for which a link was created. */
  only?: { activity_id: string; position: number };
}

/** The state of a signal. */
export interface SentSignal {
  /** `queued`: no wait listened to its name. */
  state: 'taken' | 'queued';
  /** The names of the signals for which the run waits while this one is queued, the oldest wait first; at most ten. */
  waits_for: string[];
}

export interface CancelRun {
  org_id: string;
  project_id: string;
  run_id: string;
  reason: string;
  /** The event that caused the cancel. */
  cancelled_by?: { event: string; type: string };
  /** The requester, for the audit entry of the cancel. Absent: the service itself cancels. */
  by?: AuditSource;
}

/** Cancels a run. One that is over, or no longer exists, is left as it is. */
export async function cancelUnlessOver(store: Pick<RunStore, 'cancelRun'>, cancel: CancelRun): Promise<void> {
  try {
    await store.cancelRun(cancel);
  } catch (error) {
    if (!isServiceError(error, 'run_finished') && !isServiceError(error, 'not_found')) throw error;
  }
}

export interface LogChunk {
  /** Counts from 0 within the claim. A repeated number is the same chunk. */
  n: number;
  stream: 'stdout' | 'stderr' | 'system';
  /** Epoch ms at the agent. */
  at: number;
  /** The durable call that the program had made last, `name#ordinal`. */
  site?: string;
  /** base64 */
  data: string;
}

export const RunStore = token<RunStore>('runs.RunStore');
