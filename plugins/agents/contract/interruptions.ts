import { BoundedMap } from '../../../kernel/contracts/index.ts';
import { type Completion, MAX_LOSSES } from '../../runs/contract.ts';

/** What was lost with something else, or killed from outside: nobody knows how it would have ended. */
export interface Interrupted {
  end: 'interrupted';
  /** Records of its journal: whoever gets further begins to count anew. */
  at: number;
  /** How it ends when that happens again and again. */
  otherwise: Completion;
}

/** Activities whose interruptions are remembered. */
const MAX_REMEMBERED = 1000;

/**
 * The rule for all executors: what is interrupted is carried out again, `MAX_LOSSES` times at one position. Kept in memory: another
 * agent starts counting again, which only weakens the limit.
 */
export class Interruptions {
  readonly #counts = new BoundedMap<string, { at: number; count: number }>(MAX_REMEMBERED);

  judge(activity_id: string, { at, otherwise }: Interrupted): { end: 'released' } | Completed {
    const known = this.#counts.get(activity_id);
    const count = known?.at === at ? known.count + 1 : 1;
    this.#counts.delete(activity_id);
    if (count >= MAX_LOSSES) return { end: 'completed', completion: otherwise };
    this.#counts.set(activity_id, { at, count });
    return { end: 'released' };
  }

  forget(activity_id: string): void {
    this.#counts.delete(activity_id);
  }
}

interface Completed {
  end: 'completed';
  completion: Completion;
}
