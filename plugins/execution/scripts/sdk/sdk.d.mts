/**
 * The SDK for TypeScript and JavaScript: durable calls of a script, over one connection to its agent.
 *
 * ```ts
 * import { output, step, waitSignal } from 'svc/sdk';
 * const built = await step('build', ['make', '-s']);
 * const total = await step('total', () => prices.reduce((sum, price) => sum + price, 0));
 * const decision = await waitSignal('approval', { timeout: '2d' });
 * await output.set({ built, total, decision });
 * ```
 *
 * Recorded calls are answered without being repeated when the script is run again from its first line; a failed one
 * throws on every pass. Calls made at the same time are served one after the other, in the order in which they were
 * made. Inside a step's function nothing can be recorded: calls throw `SvcError` (`step_in_progress`) there. A call
 * that suspends the run never settles: the script ends there, and no `catch` or `finally` sees it.
 */

import type { PolicyOptions, Retry } from './policy.mjs';
export type { PolicyOptions, Retry } from './policy.mjs';

/** A whole number of each unit, the largest first: `500ms`, `5s`, `1h30m`, `30d`; or a number of milliseconds. */
export type Duration = string | number;

/** A value as it comes back from JSON: no functions, dates as text, members that are undefined left out. */
export type Recorded<T> = T extends { toJSON(): infer J }
  ? Recorded<J>
  : T extends string | number | boolean | null | undefined | void
    ? T
    : T extends bigint
      ? bigint | number
      : T extends symbol | ((...args: never[]) => unknown)
      ? never
      : T extends object
        ? { [K in keyof T]: Recorded<T[K]> }
        : T;

/** What a step's function is given. */
export interface StepContext {
  /** `name#ordinal`. */
  readonly site: string;
  /**
   * 64 hex digits for whatever the step talks to: the same whenever this step of this run is run again, another one in
   * every other run. Processes that the function starts see it as `SVC_IDEMPOTENCY_KEY`, and no other `SVC_*`.
   */
  readonly idempotencyKey: string;
  /** From 1; only with `retry`. Processes that the function starts see it as `ATTEMPT`. */
  readonly attempt?: number;
  /**
   * Aborts when the time of this attempt is over (`timeout`), or when the step has lost a `race`. What the function still does
   * then is not waited for. Every function of a step has one, except under a lock.
   */
  readonly signal?: AbortSignal;
  /** A W3C `traceparent` of the step's span, when the server exports traces; processes see it as `TRACEPARENT`. */
  readonly traceparent?: string;
}

export interface StepOptions extends PolicyOptions {
  /** Shown in place of the name; 1 to 200 characters. */
  label?: string;
}

export interface CommandOptions {
  /** Folder to run in; the script's own when absent. */
  cwd?: string;
  /** Added to the environment. */
  env?: Record<string, string>;
  /** Given as standard input; when absent, the script's own, which is empty. */
  input?: string | Uint8Array;
  /** Also print stdout into the log, when the command runs. */
  echo?: boolean;
}

/** What a command or a verb came to. */
export interface CommandResult {
  /** 127 when there is no such program, 126 when it cannot be run, 128 + n when signal n ended it. */
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** `stdout` as text, without its last line end. */
  readonly text: string;
  /** Why it failed; may be empty. */
  readonly reason: string;
  readonly replayed: boolean;
}

/**
 * Runs a function once, however often the script is run; later passes are given the record. The result must be JSON,
 * and is answered as the record says it. A text is recorded as `echo` prints it, at most 2 MiB.
 *
 * Throws `StepError` when it failed, on this pass (with the error as `cause`) and on every later one. An error's
 * `exitCode` becomes the recorded one. Names have 1 to 200 characters and do not end with `#` and a number.
 */
export function step<T>(
  name: string,
  work: (step: StepContext) => T | Promise<T>,
  options?: StepOptions,
): Promise<Recorded<Awaited<T>>>;
/**
 * Runs a command once, with the script's environment less every `SVC_*` plus `SVC_IDEMPOTENCY_KEY`, and answers its
 * stdout without the last line end. The same record as `svc step`. Throws `StepError` when it exits with another code
 * than 0, or prints more than 2 MiB.
 */
export function step(name: string, command: readonly string[], options?: StepOptions & CommandOptions): Promise<string>;

/** As the step of a command, for commands whose failure is an answer: it throws nothing for an exit code. */
export function exec(
  name: string,
  command: readonly string[],
  options?: StepOptions & CommandOptions,
): Promise<CommandResult>;

/** Suspends the run; no process lives meanwhile, and the script then starts again from the top. */
export function sleep(duration: Duration): Promise<void>;

export interface WaitOptions {
  /** Counted from when the wait began. */
  timeout?: Duration;
}

/** With `form`, `approvers` or `message`, the wait asks a person, and signals from before it do not count. */
export interface SignalWaitOptions extends WaitOptions {
  /** What is asked. It is shown to people. */
  message?: string;
  /**
   * The fields of the answer: `'amount: number, env: test|live = test, note?: text'`, the same as an object, or a JSON
   * Schema. The server accepts no other answer.
   */
  form?: string | Readonly<Record<string, unknown>>;
  /** Who may answer: names of users, and the roles `member`, `admin` and `owner`. Without it, every member. */
  approvers?: string | readonly string[];
  /** Answers who answered and when, around the payload: `waitSignal<SignalEnvelope>(…)`. */
  envelope?: boolean;
}

export interface SignalEnvelope<T = unknown> {
  /** Null for a signal that the service or an older server sent. */
  by: string | null;
  /** ISO 8601. */
  at: string;
  payload: T;
}

/**
 * Suspends the run until the next signal of that name, and answers its payload (JSON). Throws `StepError` with the exit
 * code 125 when somebody rejects what it asks, and `WaitTimeoutError` when the time is over; `SvcError`
 * (`protocol_unsupported`) at once when the agent is too old for timeouts.
 */
export function waitSignal<T = unknown>(name: string, options?: SignalWaitOptions): Promise<T>;

export interface EventEnvelope {
  type: string;
  /** The id of the event. */
  event: string;
  payload: unknown;
  /** False when an untrusted run emitted it, or a forge or hook does not vouch for who caused it. */
  trusted: boolean;
  [field: string]: unknown;
}

export interface EventWaitOptions extends WaitOptions {
  /** In a trusted run: events that untrusted runs emit end the wait too. */
  untrusted?: boolean;
  /**
   * A CEL expression over `event`, `vars` and `run`: `'event.payload.id == vars.id'`. The wait ignores events for which it
   * is not true.
   */
  when?: string;
  /** Values for `when`, any JSON. */
  vars?: Readonly<Record<string, unknown>>;
}

/** Suspends the run until the next event of that type; one from before the call does not count. Throws as `waitSignal`. */
export function waitEvent(type: string, options?: EventWaitOptions): Promise<EventEnvelope>;

/** What somebody asked the run. */
export interface Ask<T = unknown> {
  id: string;
  /** Who asked. */
  by: string | null;
  payload: T;
}

/**
 * Suspends the run until somebody asks it this (`svc ask <run> <name>`), and answers with the ask. Throws `WaitTimeoutError`
 * when the time is over. `answer` replies.
 */
export function waitAsk<T = unknown>(name: string, options?: WaitOptions): Promise<Ask<T>>;

/**
 * Answers an ask, or its ID, with any JSON of at most 256 KiB. `timed_out`: its time has ended, and nobody gets the answer.
 * Throws `StepError` when the run has no such ask, or it has been answered already.
 */
export function answer(ask: Pick<Ask, 'id'> | string, value: unknown): Promise<'answered' | 'timed_out'>;

/** What came first of the things that `waitAny` waits for. */
export type First<S = unknown> =
  | { first: 'signal'; name: string; payload: S }
  | { first: 'event'; name: string; event: EventEnvelope }
  | ({ first: 'ask'; name: string } & Ask)
  | { first: 'timeout' };

/** An event that `waitAny` waits for. */
export interface AwaitedEvent {
  type: string;
  /** A CEL expression over `event`, `vars` and `run`: `'event.payload.id == vars.id'`. Other events of the type are ignored. */
  when?: string;
}

export interface AnyWait {
  /** Names of signals. */
  signals?: string | readonly string[];
  /** Types of events, or events with a `when`. */
  events?: string | AwaitedEvent | readonly (string | AwaitedEvent)[];
  /** Values for the `when` of events, any JSON. */
  vars?: Readonly<Record<string, unknown>>;
  /** Names of asks. */
  asks?: string | readonly string[];
  /** After this time, the wait answers `{ first: 'timeout' }`. */
  timeout?: Duration;
  /** In a trusted run: events that untrusted runs emit count too. */
  untrusted?: boolean;
}

/**
 * Suspends the run until the first of several signals, events and asks, or until the time is over, and answers which came
 * first.
 * It does not consume the others. At most 16 signals, events and asks together.
 */
export function waitAny<S = unknown>(what: AnyWait): Promise<First<S>>;

export interface LockOptions extends WaitOptions {
  /** How many runs may hold the lock at once: 1 (the default) to 1000. The lowest limit of its holders counts. */
  limit?: number;
}

/**
 * Takes a lease of the project, first come, first served; the run is suspended while another has it. With a function or
 * a command it is held only meanwhile, and answers as `step` does; without, until the run has ended, and answers the
 * number of the grant, which only ever rises. Throws `StepError`, and as `waitSignal` when `timeout` is over.
 */
export function lock(group: string, options?: LockOptions): Promise<number>;
export function lock<T>(
  group: string,
  work: (step: StepContext) => T | Promise<T>,
  options?: LockOptions,
): Promise<Recorded<Awaited<T>>>;
export function lock(group: string, command: readonly string[], options?: LockOptions & CommandOptions): Promise<string>;

export interface ActivityOptions extends PolicyOptions {
  /** Capabilities that the agent must have. */
  requires?: string | readonly string[];
}

/**
 * Runs a command on an agent that can, and answers its stdout without the last line end. Throws `StepError` with its
 * exit code. Names are used once in a run.
 */
export function activity(name: string, command: readonly string[], options?: ActivityOptions): Promise<string>;
/** As `activity`, without waiting: `activityCollect` does. */
export function activitySubmit(name: string, command: readonly string[], options?: ActivityOptions): Promise<void>;
/** Waits for a submitted activity and answers its stdout. Throws `StepError` with its exit code. */
export function activityCollect(name: string): Promise<string>;
/** Waits for all activities that are not collected, and answers how many of them failed. */
export function activityWaitAll(): Promise<number>;

export interface SpawnOptions {
  as?: 'script' | 'pipeline';
  tags?: readonly string[];
}

/** Submits an independent run of a file, or of a source, and answers its id. */
export function spawn(file: string | { source: string }, options?: SpawnOptions): Promise<string>;

export interface CallOptions {
  /** Any JSON. */
  input?: unknown;
}

/**
 * Runs a single node as a run of its own and answers its output. The run of the script is suspended meanwhile. Throws
 * `StepError` when that run does not succeed.
 */
export function callNode<T = unknown>(kind: string, config?: object, options?: CallOptions): Promise<T>;
/** The same for a stored graph, or for a document: `{definition}` as JSON or as text. */
export function callGraph<T = unknown>(
  graph: string | { definition: object | string },
  options?: CallOptions,
): Promise<T>;

export interface ArtifactOptions {
  /** What the paths begin with, in place of the folder's name; `.` for nothing. Of one file: its whole path. */
  as?: string;
}

/**
 * Stores the files of a folder, or one file, as artifacts of the run, and answers their paths. They appear together, once
 * for this call: a replay uploads nothing.
 */
export function artifactPut(source: string, options?: ArtifactOptions): Promise<string[]>;

export interface EmitOptions {
  /** The subject. */
  key?: string;
  /** Any JSON; null when absent. The request takes 2 MiB. */
  payload?: unknown;
}

/**
 * Emits an event and answers its id. Recorded by position: a replay emits nothing. Outside of runs, any program emits with the
 * server that `submit` uses, once for each call.
 */
export function emit(type: string, options?: EmitOptions): Promise<string>;

export interface StateOptions {
  /** The cells of the project under this name, in place of the run's own. */
  entity?: string;
}

/** Durable cells, the same bytes as `svc state` writes and reads. Keys have 1 to 255 characters. */
export const state: {
  /** The text of a cell; undefined when there is none. */
  get(key: string, options?: StateOptions): Promise<string | undefined>;
  /** The JSON of a cell, parsed; undefined when there is none. Throws SyntaxError when the text is not JSON. */
  getJson<T = unknown>(key: string, options?: StateOptions): Promise<T | undefined>;
  /** Stores a text as it is, and everything else as JSON; at most 256 KiB of UTF-8. */
  set(key: string, value: unknown, options?: StateOptions): Promise<void>;
  /** Removes a cell; one that is not there is removed already. */
  delete(key: string, options?: StateOptions): Promise<void>;
  /** The keys, in the order of their bytes. */
  list(options?: StateOptions): Promise<string[]>;
};

export const output: {
  /**
   * Keys of the run's output, kept only if the script exits with 0. Values are JSON. Not durable: every pass sets them
   * again.
   */
  set(values: Record<string, unknown>): Promise<void>;
};

/** A note on the run, at most 64 KiB. Not durable: the n-th note of a pass takes the place of the n-th before. */
export function annotate(markdown: string): Promise<void>;

/**
 * An ID token (JWT) with which the run authenticates to the system that `audience` names, such as `sts.amazonaws.com`. Not
 * recorded: each pass gets another one, so request it just before the step that uses it. It is valid for 10 minutes, or for a
 * `lifetime` of 1m to 1h. Logs and views mask it. Throws `SvcError` when the server issues none (`id_tokens_off`), when the
 * run is untrusted (`id_token_untrusted`), and after 60 tokens in an hour (`id_token_limit`).
 */
export function idToken(audience: string, options?: { lifetime?: Duration }): Promise<string>;

/**
 * What the run was started with, as in the file of `SVC_INPUT_FILE`: `input` is what a submit passed, `payload` that of
 * an event. Whole numbers beyond 2^53 are `bigint`, as in every result. Throws `SvcError` (`not_in_a_script_run`) outside of
 * a run.
 */
export function input<T = unknown>(): { type: string; input?: T; payload?: T; [field: string]: unknown };

/**
 * What a submit passed, or the payload of the event that started the run: the part of `input()` that most scripts want. A path
 * names a place in it: `order.items[0].id`, `["a name"]`, `items[-1]`. Undefined where nothing is. Throws as `input` does,
 * and `SvcError` (`usage`) for a text that is no path. The type is what the script expects; nothing checks it.
 */
export function data<T = unknown>(): T;
export function data<T = unknown>(path: string): T | undefined;

/**
 * The value of a secret of the project, or of a credential of the run: `secret('STRIPE_KEY')`. In a worker it comes with the
 * run and never stands in the environment of the process. Throws `SvcError` (`secret_missing`).
 */
export function secret(name: string): string;

/**
 * The variables of the project and its org (`svc var`), by name: `vars().REGION`. They are read-only texts, and a run keeps those
 * of its start. Where both have one of the same name, it is that of the project. A secret, `env` or a credential of the same name
 * overrides a variable in the environment, but not here. Empty in a run that has none, such as an untrusted one, and on a
 * server or an agent that is too old to send them. Throws `SvcError` (`not_in_a_script_run`) outside of a run.
 */
export function vars(): Readonly<Record<string, string | undefined>>;

/** The key of the step whose function is calling. Throws `SvcError` (`usage`) outside of one. */
export function idempotencyKey(): string;

/**
 * Calls any verb of the agent, as those that plugins bring, with its arguments as on a command line. Throws `SvcError`
 * when the verb does not take the call; an exit code is an answer.
 */
export function verb(
  name: string,
  args?: readonly string[],
  options?: { stdin?: string | Uint8Array },
): Promise<CommandResult>;

/** A schema of a library that follows https://standardschema.dev: zod, valibot, arktype and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type TypesOf<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>;
/** What a schema accepts, before it fills in defaults or converts anything. */
export type InferInput<Schema extends StandardSchema> = TypesOf<Schema>['input'];
/** What a schema makes of it. */
export type InferOutput<Schema extends StandardSchema> = TypesOf<Schema>['output'];

/** A JSON Schema (draft 2020-12), at most 64 KiB. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The members of an object that are always there: those that are required and, with `Filled`, those that have a default. */
type PresentMembers<Schema, Properties, Filled extends boolean> = {
  [Name in keyof Properties]: Properties[Name] extends { readonly default: unknown }
    ? Filled extends true
      ? Name
      : never
    : Schema extends { readonly required: readonly (infer Required)[] }
      ? Name extends Required
        ? Name
        : never
      : never;
}[keyof Properties];

type ObjectFromSchema<Schema, Filled extends boolean> = Schema extends { readonly properties: infer Properties }
  ? {
      -readonly [Name in PresentMembers<Schema, Properties, Filled>]: FromSchema<Properties[Name], Filled>;
    } & {
      -readonly [Name in Exclude<keyof Properties, PresentMembers<Schema, Properties, Filled>>]?: FromSchema<
        Properties[Name],
        Filled
      >;
    }
  : { [member: string]: unknown };

/**
 * What a JSON Schema describes, as far as its `type`, `enum`, `const`, `properties`, `required`, `items` and `default` say it; a
 * schema in a variable needs `as const`. With `Filled` (the default) the defaults are there, as in the input of a run; without,
 * they may be left out, as in a submit.
 */
export type FromSchema<Schema, Filled extends boolean = true> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: 'string' }
      ? string
      : Schema extends { readonly type: 'number' | 'integer' }
        ? number
        : Schema extends { readonly type: 'boolean' }
          ? boolean
          : Schema extends { readonly type: 'null' }
            ? null
            : Schema extends { readonly type: 'array' }
              ? Schema extends { readonly items: infer Items }
                ? FromSchema<Items, Filled>[]
                : unknown[]
              : Schema extends { readonly type: 'object' }
                ? ObjectFromSchema<Schema, Filled>
                : unknown;

export interface WorkflowOptions {
  /** The retry policy of steps that name none. */
  retry?: number | Retry;
  /** The time limit of a run, from submit to end, waits included. */
  timeout?: Duration;
  /** A number: how many runs of this workflow one worker takes at a time. An object: how its runs take turns. */
  concurrency?: number | WorkflowConcurrency;
  /**
   * The priority of its runs, unless their submit sets one: 0 (the default) to 9, or a CEL expression over `input`, such as
   * `input.plan == "pro" ? 5 : 0`. A run with a higher priority passes waiting runs of its project.
   */
  priority?: number | string;
  /**
   * `replay` (the default): a run goes on with whatever version a worker serves, under the replay guard. `pinned`: it waits
   * for a worker that serves the version it began with.
   */
  versions?: 'replay' | 'pinned';
  /** Names the version; 1 to 40 characters. When absent, it is a digest of the worker's files. */
  version?: string;
}

/** How the runs of a workflow take turns, whichever worker runs them. A run is queued until its turn. */
export interface WorkflowConcurrency {
  /** A CEL expression over `input`, such as `input.customer`: the limits apply to each of its values separately. */
  key?: string;
  /** How many runs continue at once, from 1 to 1000. Default: 1, or 1000 with a throttle. */
  limit?: number;
  /** At most `limit` runs start in any period of length `period`. The others wait. */
  throttle?: Throttle;
  /** The name of the lock. Default: `function/<name>`. With a key, `/<value>` follows. */
  group?: string;
  /** What happens to earlier runs of the group. Default: `queue`. */
  policy?: 'queue' | 'cancel-pending' | 'cancel-running';
  /** How many runs of this workflow one worker takes at a time. */
  perWorker?: number;
}

/** A number of starts, 1 to 1000, and the period in which they may be: 1 second to 7 days. */
export interface Throttle {
  limit: number;
  period: Duration;
}

/** What the function of a workflow is given beside its input. */
export interface WorkflowContext {
  readonly runId: string;
  /** The variables, credentials and secrets of the run. The environment of the process has none of them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The variables of the project and its org, as `vars()` answers them. */
  readonly vars: Readonly<Record<string, string | undefined>>;
  /** Aborts when the pass ends before the function does: the run waits, was cancelled, or goes on elsewhere. Only in a worker. */
  readonly signal?: AbortSignal;
}

/** A workflow. `Input` is what `submit` and `call` accept, `Output` what they answer. */
export interface Workflow<in out Input = any, out Output = unknown> {
  readonly name: string;
  readonly options: WorkflowOptions & { readonly input?: StandardSchema | JsonSchema };
  readonly body: (input: any, context: WorkflowContext) => unknown;
  /** Only for the type checker. */
  readonly types?: { readonly input: (value: Input) => Input; readonly output: Output };
}

/**
 * Defines a workflow: a function that survives crashes, restarts and months of waiting. A worker (`serve`, `svc worker`) runs
 * it. Its calls are those of a script, and its result, which must be JSON, is the output of the run. Names have 1 to 40
 * letters, digits, `-` and `_`; a process has at most 60 workflows. Throws `SvcError` (`usage`).
 */
export function workflow<Schema extends StandardSchema, Output>(
  name: string,
  options: WorkflowOptions & { input: Schema },
  body: (input: InferOutput<Schema>, context: WorkflowContext) => Output,
): Workflow<InferInput<Schema>, Recorded<Awaited<Output>>>;
/** The type of the input is what a JSON Schema that is written here describes. */
export function workflow<const Schema extends JsonSchema, Output>(
  name: string,
  options: WorkflowOptions & { input: Schema & { readonly '~standard'?: never } },
  body: (input: FromSchema<Schema>, context: WorkflowContext) => Output,
): Workflow<FromSchema<Schema, false>, Recorded<Awaited<Output>>>;
/** With any other JSON Schema, or with none, the type of the input is the one that the function gives to its parameter. */
export function workflow<Output, Input = unknown>(
  name: string,
  options: WorkflowOptions & { input?: JsonSchema & { readonly '~standard'?: never } },
  body: (input: Input, context: WorkflowContext) => Output,
): Workflow<Input, Recorded<Awaited<Output>>>;
export function workflow<Output, Input = unknown>(
  name: string,
  body: (input: Input, context: WorkflowContext) => Output,
): Workflow<Input, Recorded<Awaited<Output>>>;

/** An input that may be undefined may be left out. */
type InputArguments<Input, Rest extends unknown[]> = undefined extends Input
  ? [input?: Input, ...rest: Rest]
  : [input: Input, ...rest: Rest];

/**
 * Runs a workflow of a worker as a run of its own and answers its output. The calling run is suspended meanwhile. Throws
 * `StepError` when that run does not succeed.
 */
export function call<Input, Output>(target: Workflow<Input, Output>, ...args: InputArguments<Input, []>): Promise<Output>;
export function call<Output = unknown>(target: string, input?: unknown): Promise<Output>;

/**
 * Waits for the first of several steps to end, and returns its result or throws its error: `race([step(…), step(…)])`. In a
 * worker, the functions run at the same time. The `signal` of the others aborts, and their records say that they have lost
 * (`race_lost`), so every later pass has the same winner: the first call that has not lost. It takes the promises of steps
 * with functions, not of commands, waits or calls; a wait has `timeout`. Throws `usage` for anything else.
 */
export function race<const Steps extends readonly Promise<unknown>[]>(steps: Steps): Promise<Awaited<Steps[number]>>;

/**
 * As `Promise.all`. The calls are recorded in the order in which they were made. In a worker, the functions of steps
 * that follow each other run at the same time, up to 32 in a run.
 */
export function all<const Calls extends readonly unknown[]>(
  calls: Calls,
): Promise<{ -readonly [K in keyof Calls]: Awaited<Calls[K]> }>;

export interface SubmitOptions {
  /** A submit with a key that was used before answers the first run. In the function of a step, it is the step's key by default. */
  idempotencyKey?: string;
  tags?: readonly string[];
  /** What the run is about; it narrows the events that reach the run. */
  subject?: string;
  /** The time limit of the run, waits included. */
  timeout?: Duration;
  /** Variables of the run. */
  env?: Record<string, string>;
  /** Variables of the run and the names of the credentials whose values they get. */
  credentials?: Record<string, string>;
  /** Capabilities that the worker must have. */
  requires?: readonly string[];
  /** 0 (the default) to 9. A run with a higher priority passes waiting runs of its project. */
  priority?: number;
  /** Queues the run until the group has room for it: one run at a time, or `limit`. It keeps its place until it ends. */
  concurrency?: {
    group: string;
    limit?: number;
    policy?: 'queue' | 'cancel-pending' | 'cancel-running';
    throttle?: { limit: number; period: string };
  };
  /** The server, instead of the one of the environment or the profile. */
  server?: ServerOptions;
}

export interface ServerOptions {
  /** `https://host`, `http://host:port` or `unix:/path/to/socket`. */
  url: string;
  /** The token of a member. */
  token: string;
  org: string;
  project: string;
}

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';

export interface ResultOptions {
  /** Throws `WaitTimeoutError` when the run has not ended by then. The run goes on. */
  timeout?: Duration;
  /** Ends the wait, not the run. */
  signal?: AbortSignal;
}

export interface RunHandle<Output = unknown> {
  readonly runId: string;
  /** True when the idempotency key had been used before. */
  readonly duplicate: boolean;
  status(): Promise<RunStatus>;
  /** Waits for the end of the run and answers its output. Throws `SvcError` with the code of the run's error. */
  result(options?: ResultOptions): Promise<Output>;
  /** Sends a signal. `waitSignal(name)` of the run answers its payload: any JSON, null when absent. */
  signal(name: string, payload?: unknown): Promise<void>;
  cancel(reason?: string): Promise<void>;
}

/**
 * Starts a run from any program, or inside of a step. The server is that of `SVC_URL` with `SVC_TOKEN` or `SVC_TOKEN_FILE`, and
 * `SVC_ORG` and `SVC_PROJECT`; otherwise that of `.svc/profile.json` in this folder or above (`svc dev` writes it), or of the
 * user's profile (`svc login`). Throws `SvcError`: `not_authenticated`, `unreachable`, and the codes of the service.
 */
export function submit<Input, Output>(
  target: Workflow<Input, Output>,
  ...args: InputArguments<Input, [options?: SubmitOptions]>
): Promise<RunHandle<Output>>;
export function submit<Output = unknown>(
  target: string,
  input?: unknown,
  options?: SubmitOptions,
): Promise<RunHandle<Output>>;

/**
 * Returns the handle of a run by its ID, such as one that another program has started. The server is that of `submit`. Its
 * methods throw `not_found` for a run that the project does not have.
 */
export function runHandle<Output = unknown>(
  runId: string,
  options?: Pick<SubmitOptions, 'server'>,
): Promise<RunHandle<Output>>;

export interface ServeOptions {
  /** How many runs it takes at a time. */
  slots?: number;
  /** The name of the worker, for people. */
  agentName?: string;
  /**
   * A file with the token of the worker (`svc token create <name> --agent`), when `SVC_TOKEN` is another one: `submit` needs the
   * token of a member.
   */
  tokenFile?: string;
  /** The version of workflows that name none. When absent, it is a digest of the worker's files. */
  version?: string;
  /** Only in a script: which of its workflows the run is. */
  name?: string;
  /** The command that starts the worker; `svc` by default. */
  svc?: string;
}

/** A program that serves its workflows. */
export interface Serving {
  /** Resolves when it no longer serves: it was closed, or its worker has ended. */
  readonly closed: Promise<void>;
  close(): void;
}

/**
 * Serves the workflows of this process: it connects to the server as a worker and resolves when it takes runs. In a script it
 * runs the workflow, and answers undefined. Throws `SvcError`: `worker_not_started`, `worker_lost`, and why the server refuses.
 */
export function serve(options?: ServeOptions): Promise<Serving | undefined>;

/** Whatever the service or the SDK refuses. */
export class SvcError extends Error {
  /** Stable: `step_failed`, `wait_timed_out`, `step_in_progress`, `not_in_a_script_run`, `protocol_unsupported`,
   * `agent_lost`, `agent_answer_invalid`, `usage`, and the codes of the service. */
  readonly code: string;
  /** What to do about it; may be empty. */
  readonly next: string;
}

/** A recorded call that failed: a step, a command under a lock, an activity. The same on every pass. */
export class StepError extends SvcError {
  /** 1 to 255. */
  readonly exitCode: number;
  /** Why it failed; may be empty. */
  readonly reason: string;
  /** What a command printed. */
  readonly stdout: Buffer;
}

/** Throw it in the function of a step with `retry`: another attempt would fail in the same way, so none is made. */
export class NonRetryableError extends Error {
  constructor(message?: string, options?: ErrorOptions);
}

/** The time of a wait is over. Recorded, so a later pass meets it again. */
export class WaitTimeoutError extends SvcError {}
