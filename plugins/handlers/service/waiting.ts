import { chunks, type Database, type Transaction } from '../../../kernel/contracts/index.ts';
import type { RunWork, WorkObserver } from '../../runs/contract.ts';
import { noteWaiting, noteWorking } from '../store/open-runs.ts';
import { isQueued } from '../store/queue.ts';
import { askRefill } from '../store/refills.ts';

export interface WaitingParts {
  database: Pick<Database, 'now'>;
  /** Called after a commit that has left work to the refiller. */
  refilling(): void;
}

/**
 * A handler run is in flight while it is queued or running (ruling 50). Reruns of such runs have their trigger. The project's
 * bus is not locked: what a run leaves to queued deliveries is given to them by the refiller, and a run that goes on needs
 * nobody's leave.
 */
export const waitingRuns = (parts: WaitingParts): WorkObserver => ({
  name: 'handlers',
  concerns: (starter) => starter?.startsWith('handler:') === true,
  async onWork(tx, runs) {
    for (const some of chunks(runs)) {
      const working = some.filter((run) => run.working).map(({ run_id }) => run_id);
      if (working.length > 0) await noteWorking(tx, working);
      await noteIdle(
        parts,
        tx,
        some.filter((run) => !run.working),
      );
    }
  },
});

async function noteIdle(
  { database, refilling }: WaitingParts,
  tx: Transaction,
  idle: readonly RunWork[],
): Promise<void> {
  for (const [project_id, own] of Map.groupBy(idle, (run) => run.project_id)) {
    const freed = await noteWaiting(
      tx,
      own.map(({ run_id }) => run_id),
    );
    const scope = { org_id: own[0]!.org_id, project_id };
    if (freed === 0 || !(await isQueued(tx, scope))) continue;
    await askRefill(tx, scope, database.now());
    tx.afterCommit(refilling);
  }
}
