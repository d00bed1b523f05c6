import { type Clock, defineError, token } from '../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment, PassEnd } from '../agents/contract.ts';
import type { Completion, JournalRecord, RetryPolicy } from '../../engine/runs/contract.ts';

/**
 * A verb was called with wrong arguments. Thrown before the call has a position: it exits with code 2 and nothing is
 * recorded.
 */
export const verbUsage = defineError({
  code: 'verb_usage',
  status: 400,
  title: 'The verb was called with wrong arguments.',
  next: 'Follow its usage line; `svc <verb> --help` prints it.',
});

/** The script passes more data than the service stores. */
export const valueTooLarge = defineError({
  code: 'value_too_large',
  status: 413,
  title: 'The value is larger than the service can store.',
  next: 'Write it to a file or an artifact and pass its name instead.',
});

/**
 * Thrown when the pass has ended (parked, lost, stopped or in violation); the caller waits for the end of its
 * process.
 */
export class PassEnded extends Error {
  constructor() {
    super('the pass has ended');
    this.name = 'PassEnded';
  }
}

/** Thrown when the caller has closed its connection. */
export class CallerClosed extends Error {
  constructor() {
    super('the caller closed its connection');
    this.name = 'CallerClosed';
  }
}

/** A call, as replay compares it. */
export interface SiteCall {
  kind: string;
  name: string;
  /** Compared on replay; empty if only kind and name count. */
  digest?: string;
  label?: string;
  /** Whether others must know the name as it is, such as the type of an event. It is then not masked. */
  public_name?: boolean;
}

/** The position of a call that has no record yet. */
export interface OpenSite {
  position: number;
  ordinal: number;
  /** The `SVC_IDEMPOTENCY_KEY` of this site. It is derived from run, job and site, and never depends on the attempt. */
  key: string;
  /** Number of failed attempts in earlier passes; 0 for most calls. */
  failed_attempts: number;
  /** Resolves when the next attempt may begin, after the remainder of the pause. */
  waitForPause(): Promise<void>;
  /** Reports the beginning of an attempt, counted from 1, to those who watch the run. */
  reportAttempt(attempt: number, attempts: number): void;
  /**
   * Records a failed attempt and resolves after the pause that its policy requires. A long pause parks: the pass
   * ends, and this rejects with `PassEnded`.
   */
  recordFailure(failed: RecordedOutcome, attempt: FailedAttemptInfo): Promise<void>;
}

/** Which attempt failed. */
export interface FailedAttemptInfo {
  /** Counted from 1. */
  attempt: number;
  policy: RetryPolicy;
}

export interface RecordedOutcome {
  exit_code: number;
  output: Buffer;
  message?: string;
}

/** The result of a call. `replayed` means that an earlier pass already received it. */
export interface JournalResult {
  record: JournalRecord;
  replayed: boolean;
}

/** Lets a caller issue calls before the previous ones have been answered. */
export interface CallPipeline {
  /**
   * Reserves the next calls of the journal for this caller. Possible only if every record has been read, nothing is
   * running, nobody waits, and no call would have a masked name. `onContention` is called once, when another
   * caller begins to wait.
   */
  reserve(onContention: () => void): CallReservation | undefined;
  /** Returns how many calls this pass has made. */
  callCount(): number;
  /** Returns at most `limit` of these calls, starting at a position. */
  calls(from: number, limit: number): readonly JournalRecord[];
}

/** The records of earlier passes. A pass with a single caller may lend them, so that it repeats its steps by itself. */
export interface RecordedCalls {
  count: number;
  /** Returns records from a position on: about `limit` bytes of them, and at least one if there is one. */
  page(from: number, limit: number): readonly JournalRecord[];
  /**
   * The caller has made the next `count` calls and compared them with their records. Returns false if they are not recorded
   * steps, which alone have no digest.
   */
  repeat(count: number): boolean;
}

/** A reservation of the journal's next calls for one caller, while all others wait. */
export interface CallReservation {
  /** False when somebody else waits or when the pass or its claim may have ended. Nothing more may be started then. */
  readonly isValid: boolean;
  /** Lets the others continue after the calls made so far. Safe to call twice. */
  release(): void;
}

/**
 * The journal of the current pass. Durable calls are handled one at a time, in order of arrival. The next call may
 * begin while the outcome of the previous one is being stored, but each is answered only when it is stored.
 */
export interface PassJournal {
  readonly run_id: string;
  readonly activity_id: string;
  /** What the keys of steps are derived from: the job of the run, or the activity. */
  readonly job: string;
  /**
   * Replaces secret values in a name that leaves the agent. Needed for names that are compared and therefore stored
   * in plaintext: keys, tags, groups, state names and paths. The names of sites are already masked.
   */
  mask(name: string): string;
  /** False while the run has nothing to mask. */
  readonly masks: boolean;
  /**
   * Takes the next position. On replay it returns the record after the determinism guard. Otherwise it runs `record`,
   * stores the result, and then resolves. With `buildArgs`, the server's verb of this kind stores the result: `buildArgs`
   * makes its arguments from the outcome, so that the verb can do its own work in the transaction.
   */
  durable(
    site: SiteCall,
    record: (at: OpenSite) => Promise<RecordedOutcome>,
    buildArgs?: (outcome: RecordedOutcome) => unknown,
  ): Promise<JournalResult>;
  /**
   * Like `durable`, for a verb whose work the server does in the journal's transaction. If `args` is a function, it
   * is called only when needed, not on replay.
   */
  perform(site: SiteCall, args: unknown): Promise<JournalResult>;
  /**
   * Like `perform`, for a verb that may park. When it parks, the pass ends and this rejects with `PassEnded`; a verb
   * must let that error pass. `replayed` is false for the outcome that woke the activity, because no pass has printed
   * it yet.
   */
  wait(site: SiteCall, wait: { args: unknown; timeout_ms?: number }): Promise<JournalResult>;
  /** Undefined if calls cannot be reserved. */
  readonly pipeline?: CallPipeline;
  /** What earlier passes have recorded, for the only caller of a pass. Undefined if it is not lent. */
  readonly recorded?: RecordedCalls;
  /** Not durable: keys merged into the output if the script exits with 0. Throws `value_too_large`. */
  stageOutput(values: Record<string, unknown>): void;
  /** Not durable: the nth call of a pass replaces the nth of the previous pass. */
  annotate(text: string): Promise<void>;
}

/** A wait that has parked, as its record will name it. */
export type RetainedWait = Pick<JournalRecord, 'position' | 'kind' | 'name' | 'ordinal'>;

/** What an executor provides for one pass. */
export interface ReplayedPass {
  /** The activity, with its journal as claimed. */
  assignment: Pick<Assignment, 'run_id' | 'activity_id' | 'journal' | 'tried'>;
  /** The job of the run, from which the keys of steps are derived; the activity by default. */
  job?: string | undefined;
  host: Pick<
    ActivityHost,
    | 'append'
    | 'perform'
    | 'park'
    | 'attempt'
    | 'annotate'
    | 'hasClaim'
    | 'isPaused'
    | 'reportCall'
    | 'dryReplay'
    | 'masker'
  >;
  clock: Clock;
  /** Returns the program's text, to describe a violation. */
  source: () => string;
  /** Resolves when the host has everything that the program printed so far. */
  flushLog: () => Promise<void>;
  /**
   * Called when a call that is not in the journal begins. Resolves when the host has everything that the program
   * printed before it; steps, which print themselves, wait for that.
   */
  onCallBegin?: (call: Pick<JournalRecord, 'kind' | 'name' | 'ordinal'>) => Promise<void> | undefined;
  /**
   * Called when a wait has parked. Without it, or if it returns undefined, the pass ends with `endPass`. Otherwise the
   * executor ends the pass itself and keeps its program: nothing is recorded or answered until the promise resolves with the
   * record of the wait, which a later claim has brought. The journal then continues after it.
   */
  retainWait?: (wait: RetainedWait) => Promise<JournalRecord> | undefined;
  /** Called when the pass must end for this reason. Its processes must be killed at once. */
  endPass: (end: PassEnd) => void;
  /** Like `endPass`, for an error of the service: the activity is released. */
  onServiceError: (error: unknown) => void;
}

/** The journal of one pass, as its executor uses it. */
export interface OpenReplay {
  /**
   * Returns the journal for one caller. `alive` says whether the caller still waits: the call of a dead caller takes
   * no position.
   */
  for(alive: () => boolean): PassJournal;
  /** Stops recording. The processes of the pass are about to be killed, and whatever they report is caused by that. */
  freeze(): void;
  /** Returns the number of recorded calls. */
  length(): number;
  /** Returns the last call if it failed. */
  failure(): { site: string; exit_code: number; message: string | undefined } | undefined;
  /**
   * Returns the result of a program that ended well: its staged output, or a violation if it repeated fewer calls
   * than were recorded.
   */
  success(): Completion;
}

export interface Replay {
  open(pass: ReplayedPass): OpenReplay;
}

export const Replay = token<Replay>('replay.Replay');

/** Returns the `SVC_IDEMPOTENCY_KEY` of a step, by which the system that it calls recognises a repeat. */
export { idempotencyKey } from '../../engine/runs/contract.ts';
