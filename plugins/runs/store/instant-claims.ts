import type { Transaction } from '../../../kernel/contracts/index.ts';
import { type Claimed, type InstantClaimer, type InstantClaims, ISOLATES, type NewActivity } from '../contract.ts';
import { covers } from '../domain/capabilities.ts';
import type { TakenClaim } from './claim.ts';

/** Activities that claimers of this process take in the transactions that add them. */
export class InstantClaimers implements InstantClaims {
  readonly #claimers = new Set<InstantClaimer>();
  /** Places that each open transaction counts on. A transaction that does not commit leaves nothing behind. */
  readonly #wanted = new WeakMap<Transaction, Map<InstantClaimer, number>>();
  readonly #load: (taken: TakenClaim) => Promise<Claimed | undefined>;

  constructor(load: (taken: TakenClaim) => Promise<Claimed | undefined>) {
    this.#load = load;
  }

  join(claimer: InstantClaimer): () => void {
    this.#claimers.add(claimer);
    return () => this.#claimers.delete(claimer);
  }

  /** Who takes this activity; undefined when nobody does. Two transactions may count on one place: see `InstantClaimer`. */
  claimerFor(tx: Transaction, org_id: string, activity: NewActivity): InstantClaimer | undefined {
    const wanted = this.#wanted.get(tx) ?? new Map<InstantClaimer, number>();
    for (const claimer of this.#claimers) {
      const places = wanted.get(claimer) ?? 0;
      if (!canTake(claimer, org_id, activity) || claimer.room <= places) continue;
      this.#wanted.set(tx, wanted.set(claimer, places + 1));
      return claimer;
    }
    return undefined;
  }

  /** After the commit. */
  handOver(claimer: InstantClaimer, taken: TakenClaim): void {
    claimer.claimed(() => this.#load(taken));
  }
}

function canTake(by: InstantClaimer, org_id: string, { executor, requires }: NewActivity): boolean {
  if (by.project_id !== undefined) return false;
  if (by.isolated_only && !requires.includes(ISOLATES)) return false;
  if (by.org_id !== undefined && by.org_id !== org_id) return false;
  return by.executors.includes(executor) && covers(new Set(by.capabilities), requires);
}
