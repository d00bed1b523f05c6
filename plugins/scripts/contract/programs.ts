import { token } from '../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment, Interrupted } from '../../agents/contract.ts';
import type { PassJournal } from '../../replay/contract.ts';
import type { CheckoutWork } from './checkout.ts';
import type { FileRoom } from './file-room.ts';
import type { Verb } from './verb.ts';

/** How a program ended. */
export interface ProgramEnd {
  /** Null after a signal. */
  exit_code: number | null;
  signal: string | null;
  /** The masked end of its standard error; at most 4000 characters. */
  tail: string;
}

/** It was killed together with what started or kept it, so nobody knows how it would have ended: its activity is carried out again. */
export class ProgramLost extends Error {
  /** The end of a pass of which nothing is recorded before its end. */
  readonly interrupted: Interrupted;

  constructor(reason: string, interrupted: Interrupted) {
    super(reason);
    this.name = 'ProgramLost';
    this.interrupted = interrupted;
  }
}

export interface StartedProgram {
  /**
   * Resolves when it and everything that it left behind are gone, and its output is with the host. Rejects with
   * `script_not_started`, with `ProgramLost`, or with another error when the agent cannot start programs now.
   */
  readonly ended: Promise<ProgramEnd>;
  /** SIGTERM to its process group, SIGKILL after the grace period. */
  stop(): void;
}

export interface ProgramStart {
  /** A path, and arguments. */
  argv: readonly string[];
  env: Record<string, string>;
  cwd: string;
  /** What standard error calls files of the place, in their order: a program is often run from a copy. */
  names?: readonly { path: string; shown: string }[];
}

/** A commit that is put into a workspace. */
export interface CheckoutRequest {
  checkout: CheckoutWork;
  /** An empty folder that programs may write to. */
  workspace: string;
  /** Called with each program that does it, so that a stop reaches it. */
  started(program: StartedProgram): void;
  isStopped(): boolean;
}

/** Where the programs of one activity run. */
export interface ProgramPlace {
  /** A folder of the activity, mode 0700; it is removed when the place closes. */
  readonly folder: string;
  /** What the programs may name to the agent as files; use it for all that they wrote. */
  readonly room: FileRoom;
  /** Lets programs read and write a new file of the agent, where they run as another user. */
  give(path: string): Promise<void>;
  /** Makes a folder below `folder` that programs which start from now on may write to. They can write nowhere else in it. */
  makeFolder(path: string): Promise<void>;
  /**
   * Makes a folder below `folder` in which the agent itself makes folders and files for programs that start from now on: fill each
   * one before you `give` it, because from then on programs may change it.
   */
  makeParent(path: string): Promise<void>;
  /**
   * The environment of a script of this activity, with further variables that win over the workflow's own and give way
   * to what is named for the job. Throws `script_not_started` for variables that no process can have.
   */
  environment(variables: Readonly<Record<string, string>>): Record<string, string>;
  /** The path of a program on the agent's PATH. Throws `interpreter_missing`. */
  find(program: string): Promise<string>;
  start(program: ProgramStart): StartedProgram;
  /**
   * Puts a commit into a workspace, with the credential that the activity has for it; no other program sees that. Throws
   * `checkout_failed`, and `interpreter_missing` without git.
   */
  checkOut(request: CheckoutRequest): Promise<void>;
  /** Tells waiting callers of verbs that no answer will come. */
  gone(): void;
  /** After the last program has ended. */
  close(): Promise<void>;
}

export interface PlaceParts {
  assignment: Assignment;
  host: ActivityHost;
  /** What `svc <verb>` does in these programs. */
  verbs: ReadonlyMap<string, Verb>;
  journal(alive: () => boolean): PassJournal;
}

/** Runs programs on an agent as scripts are run, for executors of other plugins. */
export interface Programs {
  open(parts: PlaceParts): Promise<ProgramPlace>;
  /** True when the agent has a program of this name on its PATH. */
  has(program: string): Promise<boolean>;
  /** Why untrusted work cannot be kept apart here; undefined when it can. */
  isolation(): Promise<string | undefined>;
  /** Frees what places share. Called by the executor that uses it, when it closes. */
  close(): Promise<void>;
}

/** One for each caller. */
export const MakePrograms = token<() => Programs>('scripts.MakePrograms');
