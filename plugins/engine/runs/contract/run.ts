import type { AuditSource } from '../../../platform/audit/contract.ts';
import type { RunRecord } from '../generated/run.ts';
import type { RunConcurrency } from './concurrency.ts';
import type { CheckedDocument } from './workflow.ts';

/** As `parseExact` reads it: whole numbers beyond 2^53 are bigints, and what neither keeps is an object, an `ExactNumber`. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

export type RunStatus = Run['status'];
export const TERMINAL: readonly RunStatus[] = ['succeeded', 'failed', 'cancelled'];

/** What started a run: `manual`, `push`, `schedule.tick`, `spawn` or an event's type. */
export interface Trigger {
  type: string;
  [field: string]: Json;
}

/** A run as a plugin submits it. The engine adds its id and its first activities. */
export interface SubmitRun extends CheckedDocument {
  org_id: string;
  project_id: string;
  /** Names of org and project. They never change, so the run stores them. */
  org: string;
  project: string;
  trigger: Trigger;
  /**
   * Content of the input file beside `input` and `parent`; absent: the trigger's fields. With a member `$ref`
   * (`bus:evt_…`) it is read from there when work is claimed.
   */
  envelope?: { type: string; [key: string]: Json };
  /**
   * Absent: what the workflow declares is checked against the input, or else against the event that starts the run. `later`:
   * the event comes later. `checked`: it is the input of an earlier run.
   */
  input_check?: 'later' | 'checked';
  /** It repeats an earlier run, so its `concurrency` may be what the workflow itself has set. */
  repeats?: true;
  /** The payload of the event that starts the run, if the bus does not have it yet. */
  event_payload?: Json;
  /** The trigger is on the bus already: an event started this run. */
  triggered?: boolean;
  trusted: boolean;
  generation: number;
  parent?: string;
  /** The run that waits for the end of this one, which gets the variables of that run. */
  called_by?: string;
  idempotency_key?: string;
  /** Present: the run is created paused, and does not start until somebody resumes it. */
  paused?: RunPause;
  /** 0 (the default) to 9. A higher one passes other work of the project; that of an untrusted run is 0. */
  priority?: number | undefined;
  /** Its activity waits for the lease of a group; only for programs without a document of their own that says it. */
  concurrency?: RunConcurrency | undefined;
  /** From its submit; then it fails, whatever it waits for. */
  timeout_ms?: number;
  /**
   * The span that starts it, as `encodeTrace` of the tracing plugin writes it; null: none. Absent: the one in which the caller
   * works, where the run is made by its caller and not with others.
   */
  trace?: string | null;
  /** The submitter for the record: a principal's id. */
  submitted_by?: string;
  /** The requester, for the audit entry of the run. Absent: the service itself submits. */
  by?: AuditSource;
}

/** Who has paused a run, and why. */
export interface RunPause {
  /** The name of the requester. */
  by?: string | undefined;
  reason?: string | undefined;
  /** The run that called this one, when it was paused with that run. */
  with?: string | undefined;
}

/** The kind of wait with which a run begins that has a `concurrency`. Its arguments are those of `concurrencyArgs`. */
export const RUN_CONCURRENCY_WAIT = 'run-concurrency';

/** The id of the event that reports a run's submission. It is derived, so nobody has to look it up. */
export const triggerEventOf = (run_id: string): string => `evt_${run_id.slice(run_id.indexOf('_') + 1)}`;

export interface SubmitResult {
  run_id: string;
  status: RunStatus;
  duplicate: boolean;
  /** Only on a duplicate: its document, input, arguments, env, credentials, tags or subject differ from the first one's. */
  source_differs?: boolean;
  /** The record of a run that has ended in the transaction that created it. */
  ended?: Run;
}

/** The record of a run, as the API shows it. */
export type Run = RunRecord;

/** The wait of the most recently parked activity. */
export type Substate = NonNullable<Run['substate']>;
export type SubstateKind = Substate['kind'];
