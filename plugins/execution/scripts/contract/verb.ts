import { extensionPoint } from '../../../../kernel/contracts/index.ts';
import type { ActivityContents, ActivityFiles, ActivityTokens, Assignment } from '../../agents/contract.ts';
import type { JournalResult, PassJournal } from '../../replay/contract.ts';
import type { IncludedFile } from '../../../engine/runs/contract.ts';
import { HelpRequested } from './arguments.ts';
import type { DiskView } from './disk-view.ts';
import type { CommandAttempt } from './policy.ts';
import type { Environment } from './service-paths.ts';

/** The files included with a script, and the folder where its agent has put them. */
export interface ScriptFiles {
  /** An absolute path. */
  readonly folder: string;
  readonly files: readonly IncludedFile[];
}

/** One call of a verb by a script. */
export interface VerbCall {
  /** Arguments after the verb. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The protocol version of the caller. Undefined or 1 means that it does not support timeouts on waits. */
  readonly protocol?: number;
  /** What the run was started with, which is the content of the `SVC_INPUT_FILE`. Undefined outside of a run. */
  readonly envelope?: Assignment['envelope'] | undefined;
  /** Reads the caller's standard input. Throws `payload_too_large` above `limit` bytes. */
  stdin(limit: number): Promise<Buffer>;
  /** Has the caller run a command in its own environment, and returns the result. Only for recorded verbs. */
  exec(argv: readonly string[], key: string, limit: number, attempt?: CommandAttempt): Promise<ExecResult>;
  readonly pass: PassJournal;
  /** Stores files as artifacts of the run; undefined if no plugin does. */
  readonly files?: ActivityFiles | undefined;
  /** The contents of included files, for runs that the script starts; undefined if no plugin stores them. */
  readonly contents?: ActivityContents | undefined;
  /** ID tokens of the run; undefined if no plugin issues them. */
  readonly tokens?: ActivityTokens | undefined;
  /** The folder of the script with the files that were included. Undefined if there are none. */
  readonly included_files?: ScriptFiles | undefined;
  /** What the caller may name to the agent as a file. Undefined for everything that the agent may read. */
  readonly disk_view?: DiskView | undefined;
  /**
   * Creates an empty folder for files that the agent hands over: the caller and its commands can read them, and only the
   * agent can write. Remove it after use. Undefined for callers that run no programs.
   */
  readonly createReadableFolder?: (() => Promise<string>) | undefined;
  /** The settings of the agent. Files that they name are in no run that the script starts. */
  readonly agent_env?: Environment | undefined;
}

export interface ExecResult {
  exit_code: number;
  /** At most `limit` bytes. */
  stdout: Buffer;
  /** The full size of stdout in bytes. */
  size: number;
  /** Why the command could not be started or was ended. */
  error?: string | undefined;
  /** Set by the caller if another attempt would fail in the same way. */
  final?: boolean | undefined;
}

/**
 * The outcome of a verb. `stderr` is for people. `kind` is that of the last record, and `message` tells, on replay
 * too, why it failed.
 */
export interface VerbOutcome {
  exit: number;
  stdout?: Buffer;
  stderr?: string;
  kind?: string;
  message?: string;
  replayed?: boolean;
}

/**
 * The help of a verb. A plugin lists those of its verbs in `cli/verbs.ts`, which imports nothing of the server
 * because the command line reads it too.
 */
export interface VerbHelp {
  /** One word, or two such as `artifact put`; the command line then handles other second words. */
  verb: string;
  /** One line, such as `svc sleep <duration>`. */
  usage: string;
  summary: string;
  /** With `flags`, what `svc check` compares the arguments of a call with. Without either, it compares nothing. */
  args?: readonly VerbArgument[];
  flags?: Readonly<Record<string, VerbFlag>>;
}

export interface VerbArgument {
  name: string;
  optional?: boolean;
  /** Takes all arguments from here on. */
  rest?: boolean;
}

export interface VerbFlag {
  type: 'string' | 'boolean' | 'number';
  /** As in the usage; values of `<duration>` and `<attempts>` are validated. */
  value?: string;
  many?: boolean;
  choices?: readonly string[];
}

/** A verb that scripts may call as `svc <verb>`. */
export interface Verb extends VerbHelp {
  run(call: VerbCall): Promise<VerbOutcome>;
}

export const Verbs = extensionPoint<Verb>('scripts.Verbs', { key: (verb) => verb.verb });

/** Defines a verb that answers `--help` with its usage, without recording anything. */
export function defineVerb(help: VerbHelp, run: Verb['run']): Verb {
  return {
    ...help,
    async run(call) {
      try {
        return await run(call);
      } catch (error) {
        if (!(error instanceof HelpRequested)) throw error;
        return { exit: 0, stdout: Buffer.from(`usage: ${help.usage}\n\n${help.summary}\n`) };
      }
    },
  };
}

/**
 * Returns what a record says to the caller. Text for stderr was shown when it was recorded, so a replay is silent
 * there.
 */
export function toOutcome({ record, replayed }: JournalResult): VerbOutcome {
  const { exit_code, output, kind, message } = record;
  const stderr = message !== undefined && !replayed ? `svc: ${message}\n` : undefined;
  const stdout = Buffer.from(output, 'base64');
  return { exit: exit_code, stdout, stderr, kind, message, replayed: replayed || undefined };
}
