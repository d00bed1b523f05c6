import { defineError } from '../../../../kernel/contracts/index.ts';

/** How many runs may stand above a run, each spawned or called by the one before. */
export const MAX_RUN_DEPTH = 16;

/** Runs that start runs without end: by events and handlers, or by spawning. */
export const chainTooDeep = defineError({
  code: 'chain_too_deep',
  status: 409,
  title: 'The chain of runs that start each other is too long.',
  next: 'Shorten the chain: events of handler runs can start handlers for at most five generations, and runs can spawn runs at most 16 levels deep. Look for a workflow that starts itself.',
});
