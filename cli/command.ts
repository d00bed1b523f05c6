import type { SkippingClock } from '../kernel/boot/index.ts';
import type { Client } from './client/client.ts';
import type { Columns } from './output/columns.ts';
import type { Profile } from './client/profile.ts';
import type { Output } from './output/output.ts';

export interface Flag {
  type: 'string' | 'boolean' | 'number';
  summary: string;
  /** The placeholder of the value in the help: `<duration>`. */
  value?: string;
  short?: string;
  /** May be repeated. The value is then a list. */
  many?: boolean;
  /** The `k=v` words that follow belong to the flag too. */
  pairs?: boolean;
  /** The value is a run id, or this prefix followed by one. The name of such a flag must be a single word. */
  run?: boolean | string;
  choices?: readonly string[];
  /** The command that lists the possible values, for completion: `graph ls`. Defaults to the one named after the flag. */
  from?: string;
  least?: number;
  most?: number;
}

export type Flags = Readonly<Record<string, Flag>>;

export interface Argument {
  name: string;
  summary: string;
  optional?: boolean;
  /** The argument is a run id. `@last` and the last characters of an id are accepted too. */
  run?: boolean;
  /** The values that completion offers. Other values are allowed too. */
  choices?: readonly string[];
  /**
   * The command that lists the possible values, for completion. Defaults to a command of the same noun whose first column has
   * the name of the argument.
   */
  from?: string;
  /** The values that completion offers when no command lists them. */
  complete?: () => Promise<{ words: CompletionSource }>;
  /** Takes all remaining arguments. */
  rest?: boolean;
}

/** A word that completion offers, and the description that some shells show next to it. */
export interface Suggestion {
  word: string;
  description?: string;
}

/** Returns the words for an argument, given the arguments before it. Run ids among these are already complete. */
export type CompletionSource = (client: Client, args: readonly string[]) => Promise<readonly Suggestion[]>;

/** A command as data: the one source of its help, usage errors and completion. */
export interface Command {
  /** `run`, `secret set`. */
  name: string;
  summary: string;
  /** The heading in `svc help`. Defaults to "More". */
  group?: string;
  /** The paragraphs of the help below the usage line. */
  description?: string;
  args?: readonly Argument[];
  /** The words that may follow `--`. */
  words?: Argument;
  flags?: Flags;
  /** The inputs that the workflow declares are flags too. */
  inputs?: true;
  /** The command asks no server, so the flags that choose a profile do not apply. */
  anywhere?: boolean;
  examples?: readonly (readonly [command: string, comment: string])[];
  /** The list that it prints, from which other commands complete their values. */
  lists?: ListSource;
  load: () => Promise<{ run: Run }>;
}

export interface ListSource {
  path: (client: Client, invocation: Invocation) => string;
  member: string;
  /** The member of an item by which commands name it. */
  key: string;
  columns: Columns<Record<string, unknown>>;
}

export type FlagValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** One call of a command: its arguments, and what it may use. */
export interface Invocation {
  readonly args: readonly string[];
  /** The words after `--`, if the command takes any. */
  readonly words?: readonly string[];
  /** The flags by name in camel case: `--idempotency-key` is `idempotencyKey`. */
  readonly flags: FlagValues;
  /** What the flags of the inputs say that the workflow declares. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  /** Every command, for completion. */
  readonly commands: readonly Command[];
  verbs(): Promise<readonly ScriptVerb[]>;
  /** Returns a client for the profile's server. Without a profile, throws an error that explains how to log in. */
  client(): Promise<Client>;
  profile(): Promise<Profile>;
  /** Starts a server and an agent in this process, in memory. The caller must stop them. */
  local(options?: LocalOptions): Promise<LocalService>;
}

export interface LocalOptions {
  /** Uses a clock that can be put forward. */
  skip_time?: boolean;
}

export interface LocalService {
  readonly client: Client;
  /** The clock, if it can be put forward. */
  readonly clock: Pick<SkippingClock, 'skipTime'> | undefined;
  /** Commands that run in this folder use this service. */
  readonly folder: string;
  stop(): Promise<void>;
}

/** Runs a command. Returns the exit code; undefined means 0. */
export type Run = (invocation: Invocation) => Promise<number | undefined>;

/** Puts several commands under one heading of `svc help`. */
export const inGroup = (group: string, commands: readonly Command[]): Command[] =>
  commands.map((command) => ({ ...command, group }));

/** A verb of scripts as data, for its manual and for the completion of its flags. */
export interface ScriptVerb {
  verb: string;
  /** `svc sleep <duration>`. */
  usage: string;
  /** What the verb does, in sentences. */
  summary?: string;
  /** What the verb does, in one line of a list. */
  brief?: string;
  args?: readonly Argument[];
  flags?: Flags;
  exits?: readonly (readonly [code: string, meaning: string])[];
  /** What the journal records of a call. */
  recorded?: string;
  examples?: Command['examples'];
}
