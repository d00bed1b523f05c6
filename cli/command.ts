import type { SkippingClock } from '../kernel/boot/index.ts';
import type { Client } from './client/client.ts';
import type { Columns } from './output/columns.ts';
import type { Profile } from './client/profile.ts';
import type { Output } from './output/output.ts';

export interface Flag {
  type: 'string' | 'boolean' | 'number';
  summary: string;
  /** Placeholder in the help: `<duration>`. */
  value?: string;
  short?: string;
  /** May be given several times; the value is then a list. */
  many?: boolean;
  /** `k=v` words that follow belong to it too. */
  pairs?: boolean;
  /** It names a run, as an argument may, or does behind this text; such a flag has a name of one word. */
  run?: boolean | string;
  choices?: readonly string[];
  /** The command that lists what it may be, for completion: `graph ls`. By default one whose noun is the flag's name. */
  from?: string;
  least?: number;
  most?: number;
}

export type Flags = Readonly<Record<string, Flag>>;

export interface Argument {
  name: string;
  summary: string;
  optional?: boolean;
  /** It names a run: `@last` and an ending of its id are understood too. */
  run?: boolean;
  /** What completion offers; others may be meant too. */
  choices?: readonly string[];
  /** The command that lists what it may be, for completion. By default one of the same noun with a first column of this name. */
  from?: string;
  /** What completion offers where no command lists it. */
  offers?: () => Promise<{ words: Words }>;
  /** Takes all following arguments. */
  rest?: boolean;
}

/** A word that completion offers, and what a shell that can says beside it. */
export interface OfferedWord {
  word: string;
  says?: string;
}

/** The words for an argument, from those before it; ids of runs are whole. */
export type Words = (client: Client, args: readonly string[]) => Promise<readonly OfferedWord[]>;

/** One command as data: the source of help, usage errors and completion. */
export interface Command {
  /** `run`, `secret set`. */
  name: string;
  summary: string;
  /** The heading in `svc help`; without one it is listed under "More". */
  group?: string;
  /** Paragraphs of the help below the usage line. */
  about?: string;
  args?: readonly Argument[];
  /** What may stand after `--`. */
  words?: Argument;
  flags?: Flags;
  /** A profile chosen by flags means nothing to it. */
  anywhere?: boolean;
  examples?: readonly (readonly [command: string, says: string])[];
  /** What it lists, for completion of the values of other commands. */
  lists?: Listed;
  load: () => Promise<{ run: Run }>;
}

export interface Listed {
  path: (client: Client, invocation: Invocation) => string;
  member: string;
  /** The member of an item by which commands name it. */
  key: string;
  columns: Columns<Record<string, unknown>>;
}

export type FlagValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** What a command can use. */
export interface Invocation {
  readonly args: readonly string[];
  /** What stood after `--`, of a command that has `words`. */
  readonly words?: readonly string[];
  /** By their names in camel case: `--idempotency-key` is `idempotencyKey`. */
  readonly flags: FlagValues;
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  /** Every command, for completion. */
  readonly commands: readonly Command[];
  verbs(): Promise<readonly ScriptVerb[]>;
  /** A client for the profile's server. Throws a usage error that explains login when there is no profile. */
  client(): Promise<Client>;
  profile(): Promise<Profile>;
  /** A server and an agent in this process, in memory. The caller stops them. */
  local(options?: LocalOptions): Promise<LocalService>;
}

export interface LocalOptions {
  /** Its clock can be put forward. */
  skip_time?: boolean;
}

export interface LocalService {
  readonly client: Client;
  /** Its clock, where it can be put forward. */
  readonly clock: Pick<SkippingClock, 'skip'> | undefined;
  /** Commands that are called in it reach this service. */
  readonly folder: string;
  stop(): Promise<void>;
}

/** Answers the exit code; nothing means 0. */
export type Run = (invocation: Invocation) => Promise<number | undefined>;

/** Gives several commands the same heading in `svc help`. */
export const inGroup = (group: string, commands: readonly Command[]): Command[] =>
  commands.map((command) => ({ ...command, group }));

/** A verb of scripts, as its manual explains it. Completion offers its flags. */
export interface ScriptVerb {
  verb: string;
  /** `svc sleep <duration>`. */
  usage: string;
  /** What it does, in sentences. */
  summary?: string;
  /** What it does, in a line of a list. */
  brief?: string;
  args?: readonly Argument[];
  flags?: Flags;
  exits?: readonly (readonly [code: string, says: string])[];
  /** What the journal keeps of a call. */
  recorded?: string;
  examples?: Command['examples'];
}
