import { isServiceError } from '../../../kernel/contracts/index.ts';
import type { Capabilities, Claimed } from '../contract.ts';
import { type TakenClaim, takeClaims } from './claim.ts';
import { completeActivity } from './finish.ts';
import { readJournal } from './journal.ts';
import type { StoreParts } from './parts.ts';

/**
 * Hands out activities with their journals. Claims of one process are taken one after the other: they want the same
 * oldest rows, and would only wait for each other inside the database.
 */
export class Claims {
  readonly #store: StoreParts;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: StoreParts) {
    this.#store = store;
  }

  async claim(by: Capabilities, limit: number, lease_ms: number): Promise<Claimed[]> {
    if (!(limit >= 1)) return [];
    const taken = await this.#alone(() => takeClaims(this.#store, by, Math.trunc(limit), lease_ms));
    const whole = await Promise.all(taken.map((claim) => this.#withJournal(claim)));
    return whole.filter((claim) => claim !== undefined);
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** A journal that does not open ends its own run, and takes no other claim down. */
  async #withJournal(claim: TakenClaim): Promise<Claimed | undefined> {
    const { activity_id, run_id, org_id, project_id } = claim;
    const place = { activity_id, run_id, org_id, project_id };
    this.#store.places.remember(place);
    if (claim.pass === 0) return { ...claim, journal: [] };
    try {
      await this.#store.sealer.prepare(org_id);
      return { ...claim, journal: await readJournal(this.#store.database, this.#store.sealer, place) };
    } catch (error) {
      if (!isServiceError(error, 'sealed_value_unreadable')) throw error;
      const message = `the journal cannot be read: ${error.message}`;
      await completeActivity(this.#store, claim, { status: 'failed', code: error.code, message });
      return undefined;
    }
  }
}
