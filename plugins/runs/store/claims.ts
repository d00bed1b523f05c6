import { isServiceError } from '../../../kernel/contracts/index.ts';
import type { Capabilities, Claimed } from '../contract.ts';
import { type TakenClaim, takeClaims } from './claim.ts';
import type { Completions } from './completions.ts';
import { wholeEnvelope } from './envelope.ts';
import { readTried } from './attempts.ts';
import { completeActivity } from './finish.ts';
import { type FactsRow, factsOf } from './known-facts.ts';
import { readJournal } from './journal.ts';
import type { StoreParts } from './parts.ts';
import { parseJson } from './run-rows.ts';
import { openSpec } from './sealing.ts';

/**
 * Hands out activities with their journals. Claims of one process are serialised: they want the same oldest rows, and
 * would only wait for each other in the database.
 */
export class Claims {
  readonly #store: StoreParts;
  readonly #completions: Completions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: StoreParts, completions: Completions) {
    this.#store = store;
    this.#completions = completions;
  }

  async claim(by: Capabilities, limit: number, lease_ms: number): Promise<Claimed[]> {
    if (!(limit >= 1)) return [];
    const taken = await this.#alone(() => takeClaims(this.#store, by, Math.trunc(limit), lease_ms));
    let whole: (Claimed | undefined)[] = [];
    try {
      whole = await Promise.all(taken.map((claim) => this.#withJournal(claim)));
    } finally {
      for (const [nth, { activity_id }] of taken.entries()) if (!whole[nth]) by.slots?.giveBack(activity_id);
    }
    return whole.filter((claim) => claim !== undefined);
  }

  /** The whole of an activity that was claimed when it was added. */
  async instant(taken: TakenClaim): Promise<Claimed | undefined> {
    const [row] = await this.#store.database.read<FactsRow & { envelope: string }>(
      `SELECT r.run_id, r.org_id, r.project_id, r.subject, r.generation, r.env, r.credentials, r.envelope
       FROM runs_runs r JOIN runs_activities a ON a.run_id = r.run_id
       WHERE a.activity_id = ? AND COALESCE(a.state, '') = 'claimed' AND a.epoch = ?`,
      [taken.activity_id, taken.epoch],
    );
    // It was cancelled or has expired in between.
    if (!row) return undefined;
    return this.#withJournal({ ...taken, envelope: parseJson(row.envelope) as Claimed['envelope'] }, row);
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** What does not open fails its own run and no other claim. */
  async #withJournal(claim: TakenClaim, read?: FactsRow): Promise<Claimed | undefined> {
    const { activity_id, run_id, org_id, project_id, coordinated, trusted } = claim;
    const place = { activity_id, run_id, org_id, project_id, coordinated, trusted };
    this.#store.owners.remember(place);
    try {
      await this.#store.sealer.prepare(org_id);
      const envelope = await wholeEnvelope(this.#store, claim);
      const { rerun, stored_spec, tried_at, run_trace, coordinated: _, ...claimed } = claim;
      const spec = openSpec(this.#store, claim, activity_id, stored_spec);
      const fresh = claim.pass === 0 && !rerun;
      const journal = fresh ? [] : await readJournal(this.#store.database, this.#store.sealer, place);
      const { database } = this.#store;
      const tried =
        tried_at === null || tried_at !== journal.length
          ? undefined
          : await readTried(database, place, tried_at, database.now());
      const trace = this.#store.spans?.claimed({ ...claim, trace: run_trace });
      // A light executor prepares its activities without them.
      if (read && !this.#store.lanes.isLight(claim.executor))
        this.#store.facts.keep(run_id, factsOf(this.#store.sealer, read));
      return { ...claimed, spec, envelope, journal, ...(tried && { tried }), ...(trace && { trace }) };
    } catch (error) {
      if (!isServiceError(error, 'sealed_value_unreadable') && !isServiceError(error, 'envelope_gone')) throw error;
      const message = `the journal, the spec or the input cannot be read: ${error.message}`;
      await completeActivity(this.#store, this.#completions, claim, { status: 'failed', code: error.code, message });
      return undefined;
    }
  }
}
