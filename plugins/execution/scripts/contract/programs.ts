import { token } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment, Interrupted } from '../../agents/contract.ts';
import type { PassJournal } from '../../replay/contract.ts';
import type { CheckoutWork } from './checkout.ts';
import type { DiskView } from './disk-view.ts';
import type { Verb } from './verb.ts';

/** How a program ended. */
export interface ProgramExit {
  /** Null after a signal. */
  exit_code: number | null;
  signal: string | null;
  /** The masked end of its standard error, at most 4000 characters. */
  tail: string;
}

/**
 * Thrown for a program that was killed together with the process that started it. Nobody knows how it would have
 * ended, so its activity is repeated.
 */
export class ProgramLost extends Error {
  /** The end of a pass that had not recorded anything yet. */
  readonly interrupted: Interrupted;

  constructor(reason: string, interrupted: Interrupted) {
    super(reason);
    this.name = 'ProgramLost';
    this.interrupted = interrupted;
  }
}

export interface StartedProgram {
  /**
   * Resolves when the program and everything that it left behind have ended and the host has its output. Rejects with
   * `script_not_started`, `ProgramLost`, or another error if the agent cannot start programs at the moment.
   */
  readonly ended: Promise<ProgramExit>;
  /** Sends SIGTERM to its process group, and SIGKILL after the grace period. */
  stop(): void;
}

export interface ProgramRequest {
  /** The path of the program, and its arguments. */
  argv: readonly string[];
  env: Record<string, string>;
  cwd: string;
  /**
   * What standard error calls files of the activity, in order of precedence, because a program is often run from a
   * copy.
   */
  names?: readonly { path: string; shown: string }[];
}

/** A commit to check out into a workspace. */
export interface CheckoutRequest {
  checkout: CheckoutWork;
  /** An empty folder that programs may write to. */
  workspace: string;
  /** Called with each program that takes part, so that a stop reaches it. */
  onStart(program: StartedProgram): void;
  isStopped(): boolean;
}

/** Where the programs of one activity run. */
export interface ProgramHost {
  /** A folder of the activity, mode 0700, which is removed on close. */
  readonly folder: string;
  /** The files that programs may name to the agent; use it for everything that they wrote. */
  readonly disk_view: DiskView;
  /** Lets programs that run as another user read and write a new file of the agent. */
  grantAccess(path: string): Promise<void>;
  /**
   * Creates a folder below `folder` that programs started from now on may write to. They can write nowhere else in
   * it.
   */
  createFolder(path: string): Promise<void>;
  /**
   * Creates a folder below `folder` in which the agent itself creates folders and files for programs started from now
   * on. Fill each one before you `give` it, because from then on programs may change it.
   */
  createParentFolder(path: string): Promise<void>;
  /**
   * Creates an empty folder for files that the agent hands over: every program of the activity can read them, also those
   * that are running, and only the agent can write. Returns its path. Remove it after use.
   */
  createReadableFolder(): Promise<string>;
  /**
   * Returns the environment of a script of this activity. The additional variables override the workflow's own but
   * not those named for the job. Throws `script_not_started` for variables that no process can have.
   */
  environment(variables: Readonly<Record<string, string>>): Record<string, string>;
  /** Returns the path of a program on the agent's PATH. Throws `interpreter_missing`. */
  find(program: string): Promise<string>;
  start(program: ProgramRequest): StartedProgram;
  /**
   * Checks out a commit into a workspace, with the credential that the activity has for it, which no other program
   * sees. Throws `checkout_failed`, and `interpreter_missing` without git.
   */
  checkOut(request: CheckoutRequest): Promise<void>;
  /** Tells waiting callers of verbs that they will get no response. */
  cancelCalls(): void;
  /** Must be called after the last program has ended. */
  close(): Promise<void>;
}

export interface ProgramHostOptions {
  assignment: Assignment;
  host: ActivityHost;
  /** The verbs that `svc <verb>` calls in these programs. */
  verbs: ReadonlyMap<string, Verb>;
  journal(alive: () => boolean): PassJournal;
}

/** Runs programs on an agent like scripts, for executors of other plugins. */
export interface Programs {
  open(options: ProgramHostOptions): Promise<ProgramHost>;
  /** True if the agent has a program of this name on its PATH. */
  has(program: string): Promise<boolean>;
  /** Returns why untrusted work cannot be isolated here, or undefined. */
  isolation(): Promise<string | undefined>;
  /** Frees what activities share. The executor that uses it calls this when it closes. */
  close(): Promise<void>;
}

/** Creates one instance for each caller. */
export const ProgramsFactory = token<() => Programs>('scripts.MakePrograms');
