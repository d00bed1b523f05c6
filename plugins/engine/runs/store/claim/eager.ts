import type { Clock } from '../../../../../kernel/contracts/index.ts';
import {
  type ActivityScope,
  type Claimed,
  type InstantClaimer,
  type InstantClaims,
  ISOLATES,
  type NewActivity,
} from '../../contract.ts';
import { covers } from '../../domain/capabilities.ts';
import { type LockedRun, triggerOf } from '../rows/runs.ts';
import type { ClaimedActivity, InsertedActivity } from '../rows/activities.ts';

/** How long a slot stays reserved if its transaction does not commit. A transaction takes less time. */
const RESERVATION_MS = 1000;

/** A slot of a claimer that an open transaction counts on. */
interface Reservation {
  until: number;
  untrusted: boolean;
}

interface EagerClaimersOptions {
  clock: Clock;
  load(claim: ClaimedActivity): Promise<Claimed | undefined>;
  onClaimed(): void;
}

/** The claimers of this process that get activities in the transactions that make them claimable. */
export class EagerClaimers implements InstantClaims {
  readonly #claimers = new Set<InstantClaimer>();
  readonly #reservations = new WeakMap<InstantClaimer, Reservation[]>();
  readonly #last_claims = new WeakMap<InstantClaimer, number>();
  #claim_count = 0;
  readonly #options: EagerClaimersOptions;

  constructor(options: EagerClaimersOptions) {
    this.#options = options;
  }

  join(claimer: InstantClaimer): () => void {
    this.#claimers.add(claimer);
    return () => this.#claimers.delete(claimer);
  }

  /** Returns how many activities all claimers together can get now. */
  capacity(): number {
    let capacity = 0;
    for (const claimer of this.#claimers) {
      capacity += Math.max(0, claimer.room - this.#activeReservations(claimer).length);
    }
    return capacity;
  }

  /**
   * Reserves a slot for an activity at a claimer that can run it: the one that has kept its program, otherwise the least loaded;
   * equally loaded claimers alternate. Returns undefined if there is no such claimer, or if the activity's org, run or project has no
   * free slot.
   */
  claimerFor(run: ActivityScope, activity: NewActivity, trusted: boolean): InstantClaimer | undefined {
    const reserved = (claimer: InstantClaimer) => this.#activeReservations(claimer).length;
    const free = [...this.#claimers].filter(
      (claimer) => canClaim(claimer, run.org_id, activity) && this.#hasCapacity(claimer, trusted),
    );
    const retains = (claimer: InstantClaimer) => Number(claimer.retains?.(activity.activity_id) ?? false);
    free.sort(
      (a, b) =>
        retains(b) - retains(a) ||
        a.load - b.load ||
        reserved(a) - reserved(b) ||
        this.#lastClaim(a) - this.#lastClaim(b),
    );
    const { run_id, org_id, project_id } = run;
    const use = { activity_id: activity.activity_id, run_id, org_id, project_id, trusted };
    const first = free.find(({ slots }) => slots?.take(use, RESERVATION_MS) ?? true);
    if (first)
      this.#activeReservations(first).push({
        until: this.#options.clock.monotonic() + RESERVATION_MS,
        untrusted: !trusted,
      });
    return first;
  }

  #hasCapacity(claimer: InstantClaimer, trusted: boolean): boolean {
    const reservations = this.#activeReservations(claimer);
    if (claimer.room <= reservations.length) return false;
    return trusted || (claimer.untrusted_room ?? Infinity) > reservations.filter(({ untrusted }) => untrusted).length;
  }

  /** Gives a claimer its activity, after the commit. */
  deliver(claimer: InstantClaimer, claim: ClaimedActivity): void {
    this.#last_claims.set(claimer, (this.#claim_count += 1));
    const reservations = this.#activeReservations(claimer);
    const used = reservations.findIndex(({ untrusted }) => untrusted !== claim.trusted);
    if (used !== -1) reservations.splice(used, 1);
    this.#options.onClaimed();
    claimer.claimed(() => this.#options.load(claim), claim);
  }

  /** The reservations that have not expired, the oldest first. */
  #activeReservations(claimer: InstantClaimer): Reservation[] {
    const reservations = this.#reservations.get(claimer) ?? [];
    this.#reservations.set(claimer, reservations);
    const now = this.#options.clock.monotonic();
    while (reservations.length > 0 && reservations[0]!.until <= now) reservations.shift();
    return reservations;
  }

  #lastClaim(claimer: InstantClaimer): number {
    return this.#last_claims.get(claimer) ?? 0;
  }
}

function canClaim(by: InstantClaimer, org_id: string, { executor, requires }: NewActivity): boolean {
  if (by.project_id !== undefined) return false;
  if (by.isolated_only && !requires.includes(ISOLATES)) return false;
  if (by.org_id !== undefined && by.org_id !== org_id) return false;
  return by.executors.includes(executor) && covers(new Set(by.capabilities), requires);
}

/** The first claim of a new activity. Its envelope is read when the claim is completed. */
export const firstClaimOf = (
  run: LockedRun,
  { activity_id, executor, name, spec }: InsertedActivity,
): ClaimedActivity => ({
  activity_id,
  executor,
  name,
  stored_spec: spec,
  epoch: 1,
  pass: 0,
  waited_ms: 0,
  rerun: false,
  tried_position: null,
  run_id: run.run_id,
  org_id: run.org_id,
  project_id: run.project_id,
  org: run.org,
  project: run.project,
  run_trace: run.trace,
  envelope: triggerOf(run) as Claimed['envelope'],
  trusted: run.trusted === 1,
  coordinated: run.coordinator !== null,
});
