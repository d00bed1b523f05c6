import { extensionPoint } from '../../../kernel/contracts/index.ts';
import type { ActivityContents, ActivityFiles, Assignment } from '../../agents/contract.ts';
import type { JournalAnswer, PassJournal } from '../../replay/contract.ts';
import type { IncludedFile } from '../../runs/contract.ts';
import { HelpAsked } from './arguments.ts';
import type { FileRoom } from './file-room.ts';
import type { CommandAttempt } from './policy.ts';

/** Files that lie beside a script, where its agent has laid them. */
export interface ScriptFiles {
  /** Absolute. */
  readonly folder: string;
  readonly files: readonly IncludedFile[];
}

/** One call of a verb by a script. */
export interface VerbCall {
  /** Arguments after the verb. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** What the caller speaks; absent or 1: it knows no timeouts on waits. */
  readonly protocol?: number;
  /** What the run was started with: the content of the file of `SVC_INPUT_FILE`. Absent: outside of a run. */
  readonly envelope?: Assignment['envelope'] | undefined;
  /** Reads the caller's standard input, refused with `payload_too_large` beyond `limit` bytes. */
  stdin(limit: number): Promise<Buffer>;
  /** Has the caller run a command in its own place; answers its outcome. Only for recorded verbs. */
  exec(argv: readonly string[], key: string, limit: number, attempt?: CommandAttempt): Promise<ExecResult>;
  readonly pass: PassJournal;
  /** Stores files as artifacts of the run; undefined where no plugin does. */
  readonly files?: ActivityFiles | undefined;
  /** Contents of files beside scripts, for runs that the script makes; undefined where no plugin keeps them. */
  readonly contents?: ActivityContents | undefined;
  /** The folder of the script and the files in it that the run brought. Absent: there are none. */
  readonly beside?: ScriptFiles | undefined;
  /** What the caller may name to the agent as a file. Absent: whatever the agent may read. */
  readonly room?: FileRoom | undefined;
}

export interface ExecResult {
  exit_code: number;
  /** At most `limit` bytes. */
  stdout: Buffer;
  /** True size of stdout in bytes. */
  size: number;
  /** Why the command could not be started, or was ended. */
  error?: string | undefined;
  /** The caller says that another attempt would fail in the same way. */
  final?: boolean | undefined;
}

/** What a verb came to. `stderr` is for people; `kind` is that of the last record, `message` says, on replay too, why it failed. */
export interface VerbOutcome {
  exit: number;
  stdout?: Buffer;
  stderr?: string;
  kind?: string;
  message?: string;
  replayed?: boolean;
}

/**
 * What people are told of a verb. A plugin lists those of its verbs in `cli/verbs.ts`, which imports nothing of the
 * server, for the command line reads it too.
 */
export interface VerbHelp {
  /** One word, or two: `artifact put`. Then other words after the first are left to the command line. */
  verb: string;
  /** One line: `svc sleep <duration>`. */
  usage: string;
  summary: string;
  /** With `flags`: what `svc check` compares the arguments of a call with. Without both of them it compares nothing. */
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
  /** As the usage writes it: `<duration>` and `<attempts>` are checked. */
  value?: string;
  many?: boolean;
  choices?: readonly string[];
}

/** A verb that scripts may call as `svc <verb>`. */
export interface Verb extends VerbHelp {
  run(call: VerbCall): Promise<VerbOutcome>;
}

export const Verbs = extensionPoint<Verb>('scripts.Verbs', { key: (verb) => verb.verb });

/** A verb that answers `--help` with its usage; nothing is recorded then. */
export function defineVerb(help: VerbHelp, run: Verb['run']): Verb {
  return {
    ...help,
    async run(call) {
      try {
        return await run(call);
      } catch (error) {
        if (!(error instanceof HelpAsked)) throw error;
        return { exit: 0, stdout: Buffer.from(`usage: ${help.usage}\n\n${help.summary}\n`) };
      }
    },
  };
}

/** What a record says to the caller. Text for stderr was shown when it was recorded, so a replay is silent there. */
export function answer({ record, replayed }: JournalAnswer): VerbOutcome {
  const { exit_code, output, kind, message } = record;
  const stderr = message !== undefined && !replayed ? `svc: ${message}\n` : undefined;
  const stdout = Buffer.from(output, 'base64');
  return { exit: exit_code, stdout, stderr, kind, message, replayed: replayed || undefined };
}
