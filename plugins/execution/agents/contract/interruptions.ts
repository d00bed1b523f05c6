import { BoundedMap } from '../../../../kernel/contracts/index.ts';
import { type Completion, MAX_LOSSES } from '../../../engine/runs/contract.ts';

/** Work that was lost together with something else or killed from outside, so nobody knows how it would have ended. */
export interface Interrupted {
  end: 'interrupted';
  /** Number of records in its journal. Counting starts anew whenever a pass gets further. */
  at: number;
  /** How the activity ends if it is interrupted again and again. */
  otherwise: Completion;
}

/** Maximum activities whose interruptions are remembered. */
const MAX_REMEMBERED = 1000;

/**
 * The rule for all executors: interrupted work is repeated, but at most `MAX_LOSSES` times at the same position.
 * Counts are kept in memory; another agent starts counting again, which only weakens the limit.
 */
export class Interruptions {
  readonly #counts = new BoundedMap<string, { at: number; count: number }>(MAX_REMEMBERED);

  releaseOrFail(activity_id: string, { at, otherwise }: Interrupted): { end: 'released' } | CompletedEnd {
    const previous = this.#counts.get(activity_id);
    const count = previous?.at === at ? previous.count + 1 : 1;
    this.#counts.delete(activity_id);
    if (count >= MAX_LOSSES) return { end: 'completed', completion: otherwise };
    this.#counts.set(activity_id, { at, count });
    return { end: 'released' };
  }

  reset(activity_id: string): void {
    this.#counts.delete(activity_id);
  }
}

interface CompletedEnd {
  end: 'completed';
  completion: Completion;
}
