import { isServiceError } from '../../../kernel/contracts/index.ts';
import type { Capabilities, Claimed } from '../contract.ts';
import { envelopeGone } from '../errors.ts';
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

  /** Some runs only refer to their input, for what an event carries is kept once. */
  async #envelope({ envelope, org_id, project_id }: TakenClaim): Promise<TakenClaim['envelope']> {
    const { $ref: reference, ...own } = envelope;
    if (typeof reference !== 'string') return envelope;
    const scheme = reference.slice(0, reference.indexOf(':'));
    const source = this.#store.envelope_sources.find((one) => one.scheme === scheme);
    if (!source) throw envelopeGone(`no plugin keeps what ${reference} refers to`);
    return { ...own, ...(await source.read({ org_id, project_id }, reference.slice(scheme.length + 1))) };
  }

  /** A journal that does not open ends its own run, and takes no other claim down. */
  async #withJournal(claim: TakenClaim): Promise<Claimed | undefined> {
    const { activity_id, run_id, org_id, project_id } = claim;
    const place = { activity_id, run_id, org_id, project_id };
    this.#store.places.remember(place);
    try {
      const envelope = await this.#envelope(claim);
      await this.#store.sealer.prepare(org_id);
      const { rerun, ...claimed } = claim;
      const fresh = claim.pass === 0 && !rerun;
      const journal = fresh ? [] : await readJournal(this.#store.database, this.#store.sealer, place);
      return { ...claimed, envelope, journal };
    } catch (error) {
      if (!isServiceError(error, 'sealed_value_unreadable') && !isServiceError(error, 'envelope_gone')) throw error;
      const message = `the journal or the input cannot be read: ${error.message}`;
      await completeActivity(this.#store, claim, { status: 'failed', code: error.code, message });
      return undefined;
    }
  }
}
