import type { Log } from '../contracts/index.ts';

/** Runs what waited for a commit. What throws there cannot undo the commit, so it is logged and the rest goes on. */
export function runAfterCommit(runs: readonly (() => void)[], log: Log): void {
  for (const run of runs) {
    try {
      run();
    } catch (error) {
      log.error({ reason: error instanceof Error ? error.stack : String(error) }, 'a callback after a commit failed');
    }
  }
}
