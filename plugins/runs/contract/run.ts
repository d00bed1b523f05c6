import type { AuditSource } from '../../audit/contract.ts';

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
  /**
   * What the input file holds beside `input` and `parent`; absent: the trigger's fields. With a member `$ref`
   * (`bus:evt_…`) it is read from there when work is handed out.
   */
  envelope?: { type: string; [key: string]: Json };
  /** Types of events that cancel the run while it has not ended. */
  cancel_on?: string[];
  /** Its trigger is on the bus already: an event started it. */
  triggered?: boolean;
  trusted: boolean;
  generation: number;
  parent?: string;
  idempotency_key?: string;
  /** Who submitted, for the record: a principal's id. */
  submitted_by?: string;
  /** Whose request it is; audited with the run. Absent: the service itself submits. */
  by?: AuditSource;
}

/** The event that says of a run that it was submitted: nobody has to look it up, and it is the same whoever asks. */
export const triggerEventOf = (run_id: string): string => `evt_${run_id.slice(run_id.indexOf('_') + 1)}`;

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
  /** Versioned type, e.g. `svc/script/v1`; null for runs that were made before it was kept. */
  workflow_type: string | null;
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
  /** The event that cancelled it. */
  cancelled_by: { event: string; type: string } | null;
  cancel_on: string[];
  /** Capabilities that an agent must have; absent: none. */
  requires?: string[];
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
