import { chunks, type Database, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { RunWork, WorkObserver } from '../../../engine/runs/contract.ts';
import { markWaiting, markWorking } from '../store/open-runs.ts';
import { hasQueued } from '../store/queue.ts';
import { insertRefill } from '../store/refills.ts';

export interface WaitingDeps {
  database: Pick<Database, 'now'>;
  /** Called after a commit that left work to the refiller. */
  refilling(): void;
}

/**
 * Tracks which handler runs are in flight, which they are while queued or running (ruling 50). Reruns have the same
 * trigger and are tracked too. The project's bus is not locked: the refiller gives freed slots to queued deliveries,
 * and a run that resumes needs no permission.
 */
export const waitingRunObserver = (deps: WaitingDeps): WorkObserver => ({
  name: 'handlers',
  concerns: (starter) => starter?.startsWith('handler:') === true,
  async onWork(tx, runs) {
    for (const chunk of chunks(runs)) {
      const working = chunk.filter((run) => run.working).map(({ run_id }) => run_id);
      if (working.length > 0) await markWorking(tx, working);
      await recordIdle(
        deps,
        tx,
        chunk.filter((run) => !run.working),
      );
    }
  },
});

async function recordIdle(
  { database, refilling }: WaitingDeps,
  tx: Transaction,
  idle: readonly RunWork[],
): Promise<void> {
  for (const [project_id, project_runs] of Map.groupBy(idle, (run) => run.project_id)) {
    const freed = await markWaiting(
      tx,
      project_runs.map(({ run_id }) => run_id),
    );
    const scope = { org_id: project_runs[0]!.org_id, project_id };
    if (freed === 0 || !(await hasQueued(tx, scope))) continue;
    await insertRefill(tx, scope, database.now());
    tx.afterCommit(refilling);
  }
}
