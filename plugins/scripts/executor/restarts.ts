import { BoundedMap } from '../../../kernel/contracts/index.ts';
/** Kills from outside at the same position before the run fails. */
const MAX_KILLS = 25;
/** Activities whose kills are remembered. */
const MAX_REMEMBERED = 1000;

/**
 * Counts how often an activity's script was killed without progress. Kept in memory: another agent starts counting
 * again, which only weakens the limit.
 */
export class Restarts {
  readonly #kills = new BoundedMap<string, { length: number; count: number }>(MAX_REMEMBERED);

  /** Records a kill at `length` journal records. True when the limit is exceeded. */
  killed(activity_id: string, length: number): boolean {
    const known = this.#kills.get(activity_id);
    const count = known?.length === length ? known.count + 1 : 1;
    this.#kills.delete(activity_id);
    if (count >= MAX_KILLS) return true;
    this.#kills.set(activity_id, { length, count });
    return false;
  }

  forget(activity_id: string): void {
    this.#kills.delete(activity_id);
  }
}
