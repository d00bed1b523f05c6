import type { Transaction } from '../../../kernel/contracts/index.ts';
import { type CallContext, ofTrust, type RunLimits } from '../contract.ts';
import { spawnLimit } from '../errors.ts';
import { RUN } from './run-rows.ts';

/** Counts one more run that a run spawns; its row is locked. Throws `spawn_limit`. */
export async function countSpawn(
  tx: Transaction,
  { run_id, trusted }: Pick<CallContext, 'run_id' | 'trusted'>,
  limits: RunLimits,
): Promise<void> {
  const { spawns } = ofTrust(limits.run, trusted);
  const counted = await tx.write('UPDATE runs_runs SET spawned = spawned + 1 WHERE run_id = ? AND spawned < ?', [
    run_id,
    Math.min(spawns, Number.MAX_SAFE_INTEGER),
  ]);
  if (counted === 0)
    throw spawnLimit(
      trusted
        ? `the run has spawned ${spawns} runs, which is the limit of a run (SVC_RUN_LIMITS)`
        : `the run has spawned ${spawns} runs, which is the limit of an untrusted run (SVC_UNTRUSTED_RUN_LIMITS)`,
    );
  tx.settled(RUN.table, [[run_id]]);
}
