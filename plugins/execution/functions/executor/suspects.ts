import { BoundedMap, type Clock } from '../../../../kernel/contracts/index.ts';
import { type Admission, Gate } from './gate.ts';

const MAX_SUSPECTS = 10_000;
/** A suspect that has run for this long without an end of the program did not cause the last one. */
const CLEARED_MS = 10_000;

/**
 * Finds the run that ends the program of a worker. When the program ends during several passes, nobody knows which of them
 * did it: all of them are suspects, none of them is counted, and from then on at most one suspect runs at a time. The
 * suspect that is inside when the program ends again is counted.
 */
export class Suspects {
  readonly #activities = new BoundedMap<string, true>(MAX_SUSPECTS);
  readonly #gate = new Gate();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(activity_id: string): boolean {
    return this.#activities.get(activity_id) === true;
  }

  add(activity_id: string): void {
    this.#activities.set(activity_id, true);
  }

  clear(activity_id: string): void {
    this.#activities.delete(activity_id);
  }

  /** Waits for its turn if the activity is a suspect. */
  admit(activity_id: string): Admission {
    if (!this.has(activity_id)) return { admitted: Promise.resolve(), leave: () => undefined };
    const admission = this.#gate.enter(1);
    let cancel = () => {};
    void admission.admitted.then(() => {
      cancel = this.#clock.after(CLEARED_MS, () => {
        this.clear(activity_id);
        admission.leave();
      });
    });
    return {
      admitted: admission.admitted,
      leave: () => {
        cancel();
        admission.leave();
      },
    };
  }
}
