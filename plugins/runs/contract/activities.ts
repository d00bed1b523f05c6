import { extensionPoint, type Transaction, token } from '../../../kernel/contracts/index.ts';
import type { Json } from './run.ts';
import type { NewActivity } from './store.ts';

/** An activity that another one asked for. */
export interface ChildActivity extends NewActivity {
  /**
   * The activity that asked for it. A child's output and failure are for its parent alone and not the run's; the run
   * does not end before it, unless the parent fails: then it is cancelled.
   */
  parent: string;
}

export interface ActivityScope {
  org_id: string;
  project_id: string;
  run_id: string;
}

/** A child of a finished run, and the run and parent that are to have it too. */
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
  result: { status: 'succeeded'; output: Json } | { status: 'failed'; code: string; message: string };
}

/** Activities of runs that are under way. Everything happens in a transaction that holds the run's row. */
export interface Activities {
  /** Pending from the commit on. */
  add(tx: Transaction, run: ActivityScope, activities: readonly (NewActivity | ChildActivity)[]): Promise<void>;
  /**
   * One of a finished run in another that is made anew: as it ended, else as it was asked for and pending. Answers its id.
   */
  copy(tx: Transaction, copied: CopiedActivity): Promise<string>;
  /** How it ended; undefined while it has not, or was cancelled. The org's keys are ready. */
  end(tx: Transaction, run: ActivityScope, activity_id: string): Promise<ActivityEnd | undefined>;
  /** What the steps view shows as the exit code of an activity that has succeeded. */
  noteExit(tx: Transaction, activity_id: string, exit_code: number): Promise<void>;
  /** A note on the run that no pass replaces. */
  note(tx: Transaction, run: ActivityScope, activity_id: string, text: string): Promise<void>;
}

export const Activities = token<Activities>('runs.Activities');

/** Hears, inside the transaction that makes it so, that an activity has ended; not of those that are cancelled. */
export interface ActivityObserver {
  name: string;
  onEnded(tx: Transaction, run: ActivityScope, activity: ActivityEnd): Promise<void>;
}

export const ActivityObservers = extensionPoint<ActivityObserver>('runs.ActivityObservers', {
  key: (observer) => observer.name,
});
