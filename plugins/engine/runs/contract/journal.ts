import type { JournalRecord } from '../generated/journal-record.ts';
import type { Tried } from './attempts.ts';
import type { TraceHeaders } from '../../../platform/tracing/contract.ts';
import type { Json } from './run.ts';
import type { SlotBounds } from './slots.ts';

export type { JournalRecord };

/** What identifies a call within its activity. */
export type CallSite = Omit<JournalRecord, 'exit_code' | 'output' | 'message'>;

/** A call that the server performs, or that waits. */
export interface JournaledCall extends CallSite {
  args: Json;
}

export const siteOf = (record: { kind: string; name: string; ordinal: number }): string =>
  `${record.name === '' ? record.kind : record.name}#${record.ordinal}`;

/** Identifies a claim. Every write of an agent carries one; a stale claim is refused with `lease_lost` (I2). */
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
  /** Passes started before this one. */
  pass: number;
  /** How long it was claimable, by the database's clock; for the metrics. */
  waited_ms?: number;
  /** Input for the executor, made by the workflow kind at submit. */
  spec: Json;
  /** The object of the input file: `{type, event?, payload?, key?, input?, …}`. */
  envelope: { type: string; [key: string]: Json };
  trusted: boolean;
  journal: JournalRecord[];
  /** Failed attempts of the call after the journal's last one. */
  tried?: Tried;
  /** The span of this pass, when the server traces: for its program and its requests. */
  trace?: TraceHeaders;
}

/** A wait to arm at the next position. Its `kind` is a registered wait kind and equals the verb. */
export interface ArmWait extends JournaledCall {
  /** Counted from the first park. Absent: no timeout. */
  timeout_ms?: number;
}

/** How a wait ended. It becomes the journal record of its position, exactly once (I9). */
export interface WaitOutcome {
  exit_code: number;
  /** stdout bytes. */
  output: Buffer;
  message?: string;
}

export type Completion = { status: 'succeeded'; output: Json } | Failure;

/** Why an activity failed. `final` and `retry_after_ms` are for who decides on another attempt; they are not stored. */
export interface Failure {
  status: 'failed';
  code: string;
  message: string;
  exit_code?: number;
  /** Another attempt would fail in the same way. */
  final?: boolean;
  /** No attempt makes sense before this time has passed. */
  retry_after_ms?: number;
}

/** What a claimer can run. */
export interface Capabilities {
  agent_id: string;
  /** Undefined if it claims for every org, as the built-in agent of `svc dev` and `svc run` does. */
  org_id?: string;
  /** Only activities of this project. */
  project_id?: string | undefined;
  capabilities: readonly string[];
  /** Only activities of these executors; absent: of all executors. */
  executors?: readonly string[];
  /** Only activities that must be isolated: those of untrusted runs. */
  isolated_only?: boolean;
  /** How many activities of untrusted runs it may get now; absent: any number. */
  untrusted_room?: number;
  /** Counts the slots of runs and projects at all agents of this server; absent: they have no limit. */
  slots?: SlotBounds;
}
