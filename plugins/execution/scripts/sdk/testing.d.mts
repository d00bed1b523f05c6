/**
 * Tests of workflows, in memory: without a server, and without waiting for what takes a month.
 *
 * ```ts
 * import { fail, testRun } from 'svc/sdk/testing';
 * const run = await testRun(order, { sku: 'a' }, { signals: { approved: { by: 'ana' } }, steps: { charge: fail('declined') } });
 * assert.equal(run.status, 'failed');
 * ```
 */

import type { Duration, StepContext, SvcError, Workflow } from './sdk.mjs';

/** A failure in place of a result. */
export interface Failure {
  readonly message: string;
  readonly exitCode: number;
  readonly nonRetryable: boolean;
}

/** Gives a failure in place of a result. With `nonRetryable`, a step with `retry` is not attempted again. */
export function fail(message?: string, options?: { exitCode?: number; nonRetryable?: boolean }): Failure;

/** A signal, an event or an ask that arrives at a time of its own. */
export interface Delayed {
  readonly at_ms: number;
  readonly payload: unknown;
}

/** A signal, an event or an ask that arrives this long after the beginning of the run. Without it, it has arrived before the wait. */
export function after(duration: Duration, payload?: unknown): Delayed;

/** A result, a failure, or a function that answers or throws one. */
export type Replacement<Argument> =
  | Failure
  | ((argument: Argument) => unknown)
  | string
  | number
  | boolean
  | null
  | { readonly [member: string]: unknown }
  | readonly unknown[];

export interface TestOptions {
  /** Payloads by the names of signals. A list holds payloads that arrive one after the other. */
  signals?: Readonly<Record<string, unknown>>;
  /** Payloads by the types of events. A list holds those of several events. */
  events?: Readonly<Record<string, unknown>>;
  /** What the run is asked, by the names of asks. A list holds what is asked one after the other. */
  asks?: Readonly<Record<string, unknown>>;
  /**
   * Results in place of steps and of what runs under locks, by name (`charge`) or by site (`charge#1`). A function is called
   * with what the function of the step gets, once for each attempt. Other steps run as they are.
   */
  steps?: Readonly<Record<string, Replacement<StepContext>>>;
  /**
   * Results of calls, by the name of the workflow, or as `node <kind>` or `graph <name>`. A function is called with the input.
   * A workflow of this process that is not named here runs in memory too, with the same options.
   */
  calls?: Readonly<Record<string, Replacement<any>>>;
  /** Results of activities, by name. They are text, as a command prints it. */
  activities?: Readonly<Record<string, Replacement<undefined>>>;
  /** Results of other verbs, such as those of plugins. A function is called with the arguments. */
  verbs?: Readonly<Record<string, Replacement<readonly string[]>>>;
  /** Variables and secrets of the run, as its environment has them. */
  env?: Readonly<Record<string, string>>;
  /** Variables of the project and its org, for `vars()`. They are in the environment too, and `env` overrides them there. */
  vars?: Readonly<Record<string, string>>;
  /** Cells that the run begins with. */
  state?: Readonly<Record<string, unknown>>;
  /** Cells of entities that the test begins with: `{ 'seat-A1': { status: 'sold' } }`. Runs that the run calls share them. */
  entities?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The time limit of the run, in place of that of the workflow. */
  timeout?: Duration;
  /** Rejects with `too_many_passes` after this many; 10,000 by default. */
  maxPasses?: number;
  /**
   * Calls the function again from the top after each new record, so that a workflow that is not deterministic fails its test.
   * True by default; otherwise a pass ends only where a run waits.
   */
  replayEveryCall?: boolean;
}

export interface RecordedCall {
  readonly kind: string;
  readonly name: string;
  /** The number of earlier calls of this kind and name. */
  readonly ordinal: number;
  /** `name#ordinal`. */
  readonly site: string;
}

/** A record of the journal, as `svc steps --json` prints it. */
export interface TestRecord extends RecordedCall {
  readonly position: number;
  readonly label?: string;
  readonly status: 'recorded';
  readonly exit_code: number;
  readonly stdout: string;
  readonly message?: string;
  /** What the call answers, parsed; undefined for a failure. */
  readonly result?: unknown;
}

export interface TestResult<Output = unknown> {
  /** `waiting`: the run waits for what the test does not give, without a timeout. */
  readonly status: 'succeeded' | 'failed' | 'waiting';
  /** Only after success. */
  readonly output?: Output;
  /** Only after a failure; what the function threw is its `cause`. */
  readonly error?: SvcError;
  /** The call in which the run waits. */
  readonly waitsFor?: RecordedCall;
  readonly journal: readonly TestRecord[];
  /** How often the function was called. */
  readonly passes: number;
  /** What the function printed, line by line. */
  readonly logs: readonly { readonly pass: number; readonly stream: 'stdout' | 'stderr'; readonly text: string }[];
  readonly notes: readonly string[];
  readonly emitted: readonly { readonly type: string; readonly key?: string; readonly payload: unknown }[];
  /** What the run has answered to `asks`, in order. */
  readonly answers: readonly { readonly name: string; readonly payload: unknown; readonly answer: unknown }[];
  readonly spawned: readonly { readonly file?: string; readonly source?: string; readonly as?: string; readonly tag?: string }[];
  /** The time that sleeps, timeouts and pauses between attempts would have taken. */
  readonly elapsedMs: number;
}

/**
 * Runs a workflow in memory. Sleeps, timeouts of waits and pauses between attempts take no time; the time limits of steps are
 * real. The input is checked by a Standard Schema; a JSON Schema is checked only by the server. Rejects with `SvcError`:
 * `determinism_violation` when a pass makes other calls than the one before, `test_result_missing` when the test gives no
 * result for a call or an activity, `too_many_passes`.
 */
export function testRun<Input, Output>(
  workflow: Workflow<Input, Output>,
  ...args: undefined extends Input ? [input?: Input, options?: TestOptions] : [input: Input, options?: TestOptions]
): Promise<TestResult<Output>>;

export interface ReplayResult {
  /** False when a run with this history would fail with the present code. */
  readonly ok: boolean;
  /**
   * `same`: it makes all recorded calls and ends. `anew`: it makes further calls. `waits`: it continues with the call in which
   * the run waits. `differs`: it makes another call. `ended`: it throws before it has made all recorded calls.
   */
  readonly outcome: 'same' | 'anew' | 'waits' | 'differs' | 'ended';
  /** The number of calls that are the same, and of recorded calls. */
  readonly read: number;
  readonly recorded: number;
  /** The outcome for people. */
  readonly note: string;
  /** `present` is undefined when the function ends. */
  readonly difference?: {
    readonly position: number;
    readonly recorded: RecordedCall;
    readonly present: RecordedCall | undefined;
  };
  /** The first call that has no record. */
  readonly next?: RecordedCall;
  readonly output?: unknown;
  readonly error?: SvcError;
}

/**
 * Replays the history of a run on a workflow and says where its code makes other calls. `history` is what
 * `svc steps <run> --json` prints, or the journal of a test. Nothing is executed: the first call without a record ends the replay.
 */
export function replayRun(
  workflow: Workflow,
  history: readonly object[] | { readonly steps: readonly object[] },
  options?: { input?: unknown; env?: Readonly<Record<string, string>>; vars?: Readonly<Record<string, string>> },
): Promise<ReplayResult>;
