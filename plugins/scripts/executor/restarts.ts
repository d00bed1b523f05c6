/** Passes that may be killed from outside at the same place before the run is failed. */
const MOST_KILLS = 25;
/** Activities whose kills are remembered. */
const MOST_REMEMBERED = 1000;

/**
 * Counts how often an activity's script was killed without getting further. In memory: another agent counts anew,
 * which only makes the bound looser.
 */
export class Restarts {
  readonly #kills = new Map<string, { length: number; count: number }>();

  /** Notes a kill with `length` records in the journal; true when it is one too many. */
  killed(activity_id: string, length: number): boolean {
    const known = this.#kills.get(activity_id);
    const count = known?.length === length ? known.count + 1 : 1;
    this.#kills.delete(activity_id);
    if (count >= MOST_KILLS) return true;
    this.#kills.set(activity_id, { length, count });
    const oldest = this.#kills.keys().next();
    if (this.#kills.size > MOST_REMEMBERED && !oldest.done) this.#kills.delete(oldest.value);
    return false;
  }

  forget(activity_id: string): void {
    this.#kills.delete(activity_id);
  }
}
