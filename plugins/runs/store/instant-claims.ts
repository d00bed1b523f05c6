import type { Clock } from '../../../kernel/contracts/index.ts';
import {
  type ActivityScope,
  type Claimed,
  type InstantClaimer,
  type InstantClaims,
  ISOLATES,
  type NewActivity,
} from '../contract.ts';
import { covers } from '../domain/capabilities.ts';
import type { TakenClaim } from './claim.ts';

/** A transaction takes less; one that is undone keeps its places so long. */
const UNDONE_MS = 1000;

/** A place that an open transaction counts on. */
interface Promised {
  until: number;
  untrusted: boolean;
}

interface InstantParts {
  clock: Clock;
  load(taken: TakenClaim): Promise<Claimed | undefined>;
  claimedAtOnce(): void;
}

/** Activities that claimers of this process take in the transactions that add them. */
export class InstantClaimers implements InstantClaims {
  readonly #claimers = new Set<InstantClaimer>();
  /** When each place that open transactions count on is free again, should its transaction not commit. */
  readonly #promised = new WeakMap<InstantClaimer, Promised[]>();
  readonly #took = new WeakMap<InstantClaimer, number>();
  #taking = 0;
  readonly #parts: InstantParts;

  constructor(parts: InstantParts) {
    this.#parts = parts;
  }

  join(claimer: InstantClaimer): () => void {
    this.#claimers.add(claimer);
    return () => this.#claimers.delete(claimer);
  }

  /** How many activities all of them can take now. */
  room(): number {
    let room = 0;
    for (const claimer of this.#claimers) room += Math.max(0, claimer.room - this.#promises(claimer).length);
    return room;
  }

  /**
   * Who takes this activity: of those with room the least loaded, in turns; undefined when nobody does, or its run or its
   * project has as many slots as it may.
   */
  claimerFor(run: ActivityScope, activity: NewActivity, trusted: boolean): InstantClaimer | undefined {
    const promised = (claimer: InstantClaimer) => this.#promises(claimer).length;
    const free = [...this.#claimers].filter(
      (claimer) => canTake(claimer, run.org_id, activity) && this.#hasRoom(claimer, trusted),
    );
    free.sort((a, b) => a.load - b.load || promised(a) - promised(b) || this.#lastTook(a) - this.#lastTook(b));
    const { run_id, project_id } = run;
    const use = { activity_id: activity.activity_id, run_id, project_id, trusted };
    const first = free.find(({ slots }) => slots?.take(use, UNDONE_MS) ?? true);
    if (first) this.#promises(first).push({ until: this.#parts.clock.monotonic() + UNDONE_MS, untrusted: !trusted });
    return first;
  }

  #hasRoom(claimer: InstantClaimer, trusted: boolean): boolean {
    const promises = this.#promises(claimer);
    if (claimer.room <= promises.length) return false;
    return trusted || (claimer.untrusted_room ?? Infinity) > promises.filter(({ untrusted }) => untrusted).length;
  }

  /** After the commit. */
  handOver(claimer: InstantClaimer, taken: TakenClaim): void {
    this.#took.set(claimer, (this.#taking += 1));
    const promises = this.#promises(claimer);
    const kept = promises.findIndex(({ untrusted }) => untrusted !== taken.trusted);
    if (kept !== -1) promises.splice(kept, 1);
    this.#parts.claimedAtOnce();
    claimer.claimed(() => this.#parts.load(taken), taken);
  }

  /** Those that still count, the oldest first. */
  #promises(claimer: InstantClaimer): Promised[] {
    const promises = this.#promised.get(claimer) ?? [];
    this.#promised.set(claimer, promises);
    const now = this.#parts.clock.monotonic();
    while (promises.length > 0 && promises[0]!.until <= now) promises.shift();
    return promises;
  }

  #lastTook(claimer: InstantClaimer): number {
    return this.#took.get(claimer) ?? 0;
  }
}

function canTake(by: InstantClaimer, org_id: string, { executor, requires }: NewActivity): boolean {
  if (by.project_id !== undefined) return false;
  if (by.isolated_only && !requires.includes(ISOLATES)) return false;
  if (by.org_id !== undefined && by.org_id !== org_id) return false;
  return by.executors.includes(executor) && covers(new Set(by.capabilities), requires);
}
