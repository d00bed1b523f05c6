import { type Clock, defineError, token } from '../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment, PassEnd } from '../agents/contract.ts';
import type { Completion, JournalRecord, RetryPolicy } from '../runs/contract.ts';

/** How an executor replays the journal of its activity. */

/** Wrong usage of a verb. Thrown before the call has a position: exit code 2, nothing is recorded. */
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
  title: 'The value is larger than the service stores.',
  next: 'Write it to a file or an artifact and pass its name instead.',
});

/** The pass is over (parked, lost, stopped, or in violation): the caller waits for the end of its process. */
export class PassOver extends Error {
  constructor() {
    super('the pass is over');
    this.name = 'PassOver';
  }
}

/** The caller is gone. */
export class CallerGone extends Error {
  constructor() {
    super('the caller closed its connection');
    this.name = 'CallerGone';
  }
}

/** A call as replay compares it. */
export interface SiteCall {
  kind: string;
  name: string;
  /** Compared on replay; empty when only kind and name count. */
  digest?: string;
  label?: string;
  /** True for a word that others must know as it is, such as the type of an event: it is not masked. */
  public_name?: boolean;
}

/** The position of a call without a record. */
export interface OpenSite {
  position: number;
  ordinal: number;
  /** `SVC_IDEMPOTENCY_KEY` of this site: derived from run, job and site, never from the attempt. */
  key: string;
  /** Failed attempts that earlier passes have made; 0 in most calls. */
  tried: number;
  /** What is left of the pause after them. Resolves when the next attempt may begin. */
  rest(): Promise<void>;
  /** An attempt begins, from 1: for those who look at the run. */
  begins(attempt: number, attempts: number): void;
  /**
   * Keeps a failed attempt and resolves after the pause that its policy asks for. A long one parks: then the pass ends, and
   * this rejects with `PassOver`.
   */
  again(failed: RecordedOutcome, attempt: TriedAttempt): Promise<void>;
}

/** Which attempt it is that failed. */
export interface TriedAttempt {
  /** From 1. */
  attempt: number;
  policy: RetryPolicy;
}

export interface RecordedOutcome {
  exit_code: number;
  output: Buffer;
  message?: string;
}

/** The answer to a call. `replayed`: an earlier pass already got this answer. */
export interface JournalAnswer {
  record: JournalRecord;
  replayed: boolean;
}

/** What a caller needs that makes calls before it is answered where they stand. */
export interface PlacesAhead {
  /**
   * Keeps the turns from now on for this caller, so that its next calls are the next ones of the journal: only when every
   * record has been read, nothing is carried out, nobody waits, and no name of a call would be masked. `wanted` is called
   * once, when another caller begins to wait.
   */
  keep(wanted: () => void): KeptPlace | undefined;
  /** How many calls this pass has made. */
  made(): number;
  /** At most `most` of these calls, from a position on. */
  calls(from: number, most: number): readonly JournalRecord[];
}

/** The next places of the journal are those of one caller, and everybody else waits. */
export interface KeptPlace {
  /** False when somebody else waits, or the pass or its claim may be over: then nothing more is to be begun on it. */
  readonly lasts: boolean;
  /** The others go on after the calls that were made so far. Safe to call twice. */
  release(): void;
}

/**
 * The journal of the current pass. Durable calls are handled one at a time, in order of arrival. The next one may begin
 * while the outcome of the one before is being stored; that is answered when it is.
 */
export interface PassJournal {
  readonly run_id: string;
  readonly activity_id: string;
  /** What the keys of steps are made of: the job of the run that it is, or the activity. */
  readonly job: string;
  /**
   * A name as it may leave the agent: secret values in it are replaced. For names that are compared, and so are stored
   * as they are: keys, tags, groups, state names, paths. The name of a site is masked here already.
   */
  mask(name: string): string;
  /**
   * Takes the next position. On replay it answers the record after the determinism guard. Otherwise it runs `record`,
   * stores the result, and then resolves. With `settle`, the server's verb of this kind stores it: `settle` makes its
   * arguments from the outcome, so that the verb can do its own work in the transaction.
   */
  durable(
    site: SiteCall,
    record: (at: OpenSite) => Promise<RecordedOutcome>,
    settle?: (outcome: RecordedOutcome) => unknown,
  ): Promise<JournalAnswer>;
  /**
   * The same for a verb whose work the server does in the journal's transaction. If `args` is a function, it is called
   * only when needed, not on replay.
   */
  perform(site: SiteCall, args: unknown): Promise<JournalAnswer>;
  /**
   * The same for a verb that may park. When it parks, the pass ends and this rejects with `PassOver`; a verb must let
   * that error pass. `replayed` is false for the outcome that woke the activity, because no pass has printed it yet.
   * If `args` is a function, it is called only when needed, not on replay.
   */
  wait(site: SiteCall, wait: { args: unknown; timeout_ms?: number }): Promise<JournalAnswer>;
  /** Absent: no places are kept. */
  readonly ahead?: PlacesAhead;
  /** Not durable: keys merged into the output if the script exits with 0. Throws `value_too_large`. */
  stageOutput(values: Record<string, unknown>): void;
  /** Not a durable boundary; the nth call of a pass replaces the nth of the pass before. */
  annotate(text: string): Promise<void>;
}

/** What an executor provides for one pass. */
export interface ReplayedPass {
  /** The activity, with its journal as claimed. */
  assignment: Pick<Assignment, 'run_id' | 'activity_id' | 'journal' | 'tried'>;
  /** The job of the run that it is, of which the keys of steps are made; absent: of the activity itself. */
  job?: string | undefined;
  host: Pick<
    ActivityHost,
    'append' | 'perform' | 'park' | 'attempt' | 'annotate' | 'held' | 'underWay' | 'dry' | 'masker'
  >;
  clock: Clock;
  /** The program's text, to describe a violation. */
  source: () => string;
  /** Resolves when everything that the program printed so far is with the host. */
  flushLog: () => Promise<void>;
  /**
   * A call that is not in the journal yet begins. Resolves when everything that the program printed before it is with the
   * host; steps, which print themselves, wait for that.
   */
  begins?: (call: Pick<JournalRecord, 'kind' | 'name' | 'ordinal'>) => Promise<void> | undefined;
  /** The pass must end for this reason; its processes must be killed at once. */
  end: (end: PassEnd) => void;
  /** The same for a fault of the service: the activity is released. */
  fault: (error: unknown) => void;
}

/** The journal of one pass, for its executor. */
export interface OpenReplay {
  /**
   * The journal for one caller. `alive` tells whether the caller still waits: a call of a dead one takes no position.
   */
  for(alive: () => boolean): PassJournal;
  /**
   * From now on nothing is recorded: the processes of the pass are about to be killed, and what they report is caused
   * by that.
   */
  freeze(): void;
  /** The number of recorded calls. */
  length(): number;
  /** The last call, if it failed. */
  failure(): { site: string; exit_code: number; message: string | undefined } | undefined;
  /**
   * The result of a program that ended well: its staged output, or a violation when it repeated fewer calls than
   * recorded.
   */
  success(): Completion;
}

export interface Replay {
  open(pass: ReplayedPass): OpenReplay;
}

export const Replay = token<Replay>('replay.Replay');

/** `SVC_IDEMPOTENCY_KEY` of a step; the far end of a step recognises a repeat by it. */
export { idempotencyKey } from '../runs/contract.ts';
