import type { Log } from '../../../kernel/contracts/index.ts';

/** Runs the after-commit callbacks. An error in one cannot undo the commit, so it is logged and the others still run. */
export function runAfterCommit(runs: readonly (() => void)[], log: Log): void {
  for (const run of runs) {
    try {
      run();
    } catch (error) {
      log.error({ reason: error instanceof Error ? error.stack : String(error) }, 'a callback after a commit failed');
    }
  }
}
