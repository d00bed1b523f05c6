import { token, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { ActivityScope } from './activities.ts';
import type { ClaimRef } from './journal.ts';
import type { RunStatus } from './run.ts';

/** A run that a transaction has locked. */
export interface HeldRun {
  trusted: boolean;
  status: RunStatus;
}

/** Runs and claims as what a write of another plugin depends on. */
export interface RunGuard {
  /** Locks a run: it is not pruned before the commit. Throws `not_found`. */
  holdRun(tx: Transaction, run: ActivityScope): Promise<HeldRun>;
  /** The same, and a claim of the run: nobody else claims the activity before the commit. Throws `lease_lost`. */
  holdClaim(tx: Transaction, run: ActivityScope, claim: ClaimRef): Promise<HeldRun>;
  /**
   * Counts bytes that a held run stores for its calls beside what the engine keeps of them. Nothing is counted of a trusted
   * run. Throws `run_storage_limit`.
   */
  countStored(tx: Transaction, run: ActivityScope, held: Pick<HeldRun, 'trusted'>, bytes: number): Promise<void>;
  /** When a run ended (epoch ms by the database's clock); undefined: it is open. Throws `not_found`. */
  endOf(run: ActivityScope): Promise<number | undefined>;
  /** Those of at most 100 runs that ended before a time (epoch ms by the database's clock). */
  endedBefore(run_ids: readonly string[], before: number): Promise<string[]>;
  /** Those of at most 100 runs that are not there any more. */
  removed(run_ids: readonly string[]): Promise<string[]>;
  /** The run of an activity. Throws `lease_lost` when there is no such activity, or not in this org. */
  runOf(activity_id: string, org_id?: string): Promise<ActivityScope>;
}

export const RunGuard = token<RunGuard>('runs.RunGuard');
