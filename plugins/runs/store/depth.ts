import type { Queries } from '../../../kernel/contracts/index.ts';
import { chainTooDeep, type NewRun } from '../contract.ts';
import { parentOf } from './calls.ts';

/** How many runs may stand above a run, each spawned or called by the one before. */
export const MAX_DEPTH = 16;

/**
 * Throws `chain_too_deep` for a run with more runs above it, whoever makes it. Those that are pruned count no more: what
 * goes on for so long is no chain out of control.
 */
export async function refuseDeep(on: Pick<Queries, 'read'>, run: Pick<NewRun, 'parent'>): Promise<void> {
  let above = run.parent ?? null;
  for (let depth = 1; above !== null; depth++) {
    if (depth > MAX_DEPTH)
      throw chainTooDeep(
        `the run would be of generation ${depth} of runs that spawn runs; a chain may have at most ${MAX_DEPTH}`,
      );
    above = await parentOf(on, above);
  }
}
