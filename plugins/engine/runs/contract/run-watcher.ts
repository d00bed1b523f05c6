import { type Cancel, token } from '../../../../kernel/contracts/index.ts';

/** Notifies of changes of runs: at once when this process makes the change, within a second when another server does. */
export interface RunWatcher {
  /** Calls `changed` after each change of the status or the log of a run, with true when the run has ended. */
  watch(run_id: string, changed: (ended: boolean) => void): Cancel;
}

export const RunWatcher = token<RunWatcher>('runs.RunWatcher');
