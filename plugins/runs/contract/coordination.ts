import { extensionPoint, token, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ActivityEnd, ActivityScope } from './activities.ts';
import type { ArmWait } from './journal.ts';
import type { Json } from './run.ts';
import type { NewActivity } from './store.ts';

/** What a coordinated run begins with. */
export interface Coordination {
  /** Name of a `RunCoordinator`. */
  by: string;
  /** Only its coordinator reads it. */
  plan: unknown;
}

/** An activity without an agent: it waits, and ends when its wait does. No agent claims it. */
export interface WaitingActivity {
  activity_id: string;
  name: string;
  /** It is a child of this activity: the run's status does not depend on it. */
  parent?: string;
  wait: Pick<ArmWait, 'kind' | 'name' | 'args' | 'timeout_ms'>;
}

/** A coordinated run in a transaction that holds its row. */
export interface CoordinatedRun extends ActivityScope {
  readonly subject: string | null;
  readonly generation: number;
  readonly trusted: boolean;
  /** The content of its input file, with references resolved. Throws `envelope_gone`. */
  envelope(): Promise<{ type: string; [key: string]: Json }>;
  /** queued → running, announced. Does nothing in a run that has started. */
  start(): Promise<void>;
  /** Agents can claim them from the commit on. */
  add(activities: readonly NewActivity[]): Promise<void>;
  /** Starts the run. Answers the result of the activity if its wait is resolved already. */
  wait(activity: WaitingActivity): Promise<ActivityEnd | undefined>;
  /**
   * Open activities → cancelled, with their children. Without ids: every open activity of the run. Observers are not
   * called.
   */
  cancel(reason: string, activity_ids?: readonly string[]): Promise<void>;
  /** The results of these activities. Those that have not ended, or were cancelled, are left out. */
  ends(activity_ids: readonly string[]): Promise<Map<string, ActivityEnd>>;
}

/** How a run ends. */
export type CoordinatedEnding =
  | { status: 'succeeded'; output: Json }
  | { status: 'failed'; code: string; message: string };

/**
 * Decides which activities of a run come next, and how the run ends. Every call is in a transaction that holds the
 * run's row.
 */
export interface RunCoordinator {
  name: string;
  /** Called in the transaction that creates the run. */
  begin(tx: Transaction, run: CoordinatedRun, plan: unknown): Promise<void>;
  /** An activity of the run has ended; not called for cancelled ones. */
  ended(tx: Transaction, run: CoordinatedRun, end: ActivityEnd): Promise<void>;
  /** No activity of the run is open. Undefined: the coordinator will continue with `CoordinatedRuns.advance`. */
  ending(tx: Transaction, run: CoordinatedRun): Promise<CoordinatedEnding | undefined>;
  /** The run has ended, with any status. */
  over(tx: Transaction, run: ActivityScope): Promise<void>;
}

export const RunCoordinators = extensionPoint<RunCoordinator>('runs.RunCoordinators', { key: ({ name }) => name });

/** Lets coordinators continue outside of the end of an activity. */
export interface CoordinatedRuns {
  /** Afterwards the run has its new status, or has ended. Does nothing for a run that has ended. */
  advance(run: ActivityScope, work: (tx: Transaction, run: CoordinatedRun) => Promise<void>): Promise<void>;
}

export const CoordinatedRuns = token<CoordinatedRuns>('runs.CoordinatedRuns');
