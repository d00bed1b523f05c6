import { extensionPoint, type Queries, type Transaction, token } from '../../../../kernel/contracts/index.ts';
import type { Completion } from './journal.ts';
import type { NewActivity } from './store.ts';

/** An activity that another activity asked for. */
export interface ChildActivity extends NewActivity {
  /**
   * The activity that asked for it. A child's output and failure are reported to its parent only, not to the run. The
   * run does not end before it; when the parent fails, the child is cancelled.
   */
  parent: string;
}

export interface ActivityScope {
  org_id: string;
  project_id: string;
  run_id: string;
}

/** A child of a finished run, with the run and parent that it is copied to. */
export interface CopiedActivity {
  from: ActivityScope;
  to: ActivityScope;
  activity_id: string;
  parent: string;
}

/** How an activity ended. */
export interface ActivityEnd {
  activity_id: string;
  parent: string | null;
  name: string;
  executor: string;
  result: Completion;
  /** The length of the output as JSON, if it is known: to write a large one again takes long. */
  output_bytes?: number | undefined;
}

/** Activities of runs in progress. Every call is in a transaction that holds the run's row. */
export interface Activities {
  /** They are pending from the commit on. */
  add(tx: Transaction, run: ActivityScope, activities: readonly (NewActivity | ChildActivity)[]): Promise<void>;
  /**
   * Copies an activity of a finished run into a new run: an ended one with its result, any other as pending. Answers
   * its id.
   */
  copy(tx: Transaction, copied: CopiedActivity): Promise<string>;
  /** The result of an activity; undefined when it has not ended, or was cancelled. The org's keys are ready. */
  end(tx: Transaction, run: ActivityScope, activity_id: string): Promise<ActivityEnd | undefined>;
  /** The same for many, read with `on`. Those without a result are left out. */
  ends(
    on: Pick<Queries, 'read'>,
    run: ActivityScope,
    activity_ids: readonly string[],
  ): Promise<Map<string, ActivityEnd>>;
  /** Bytes of the stored outputs of those that have succeeded; activities without an output are left out. */
  outputBytes(
    on: Pick<Queries, 'read'>,
    run: ActivityScope,
    activity_ids: readonly string[],
  ): Promise<Map<string, number>>;
  /** The record that a coordinator stored with the output of a run; undefined when there is none. The org's keys are ready. */
  record(on: Pick<Queries, 'read'>, run: ActivityScope): Promise<Buffer | undefined>;
  /** Stores the exit code that the steps view shows for a succeeded activity. */
  noteExit(tx: Transaction, activity_id: string, exit_code: number): Promise<void>;
  /** Adds a note to the run that no pass replaces. */
  note(tx: Transaction, run: ActivityScope, activity_id: string, text: string): Promise<void>;
}

export const Activities = token<Activities>('runs.Activities');

/** Called in the transaction in which an activity ends; not called for cancelled ones. */
export interface ActivityObserver {
  name: string;
  onEnded(tx: Transaction, run: ActivityScope, activity: ActivityEnd): Promise<void>;
}

export const ActivityObservers = extensionPoint<ActivityObserver>('runs.ActivityObservers', {
  key: (observer) => observer.name,
});

/** The executor name of an activity without an agent. */
export const NO_EXECUTOR = 'none';
