import type { RunObserver } from '../../runs/contract.ts';
import type { LeaseStore } from '../store/lease-store.ts';

/** A run that has ended holds nothing and waits for nothing, from the transaction that ends it. */
export const releaseEnded = (store: () => LeaseStore): RunObserver => ({
  name: 'locks.release',
  async onTransitions(tx, runs) {
    const over = runs.filter(({ type }) => type !== 'run.started').map(({ run_id }) => run_id);
    await store().releaseRuns(tx, over);
  },
});
