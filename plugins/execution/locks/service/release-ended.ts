import { mayHaveRows } from '../../../../kernel/contracts/index.ts';
import type { RunObserver } from '../../../engine/runs/contract.ts';
import type { LeaseStore } from '../store/lease-store.ts';

/** A run that has ended holds nothing and waits for nothing, from the transaction that ends it. */
export const releaseEndedRuns = (store: () => LeaseStore): RunObserver => ({
  name: 'locks.release',
  async onTransitions(tx, runs) {
    const ended_ids = runs.filter(({ type }) => type !== 'run.started').map(({ run_id }) => run_id);
    if (ended_ids.length > 0 && (await mayHaveRows(tx, 'locks_tickets'))) await store().releaseRuns(tx, ended_ids);
  },
});
