import type { Json } from './run.ts';

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
