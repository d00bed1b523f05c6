import { token, type Transaction } from '../../../../kernel/contracts/index.ts';

/** Cancels runs for the service itself, without an entry in the audit. */
export interface RunCancellation {
  /**
   * Cancels runs of one project and does `work`, in one transaction. Runs that have ended stay as they are. The keys of the org
   * must be prepared.
   */
  cancelRuns(
    runs: readonly { run_id: string; reason: string }[],
    work: (tx: Transaction) => Promise<void>,
  ): Promise<void>;
}

export const RunCancellation = token<RunCancellation>('runs.RunCancellation');
