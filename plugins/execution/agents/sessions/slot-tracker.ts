import type { Clock } from '../../../../kernel/contracts/index.ts';
import type { FullSlots, RunLimits, SlotBounds, SlotUse } from '../../../engine/runs/contract.ts';
import type { OrgPool } from './org-pool.ts';

/** How many slots each run and each project may use. Work of untrusted runs has separate limits. */
export interface SlotLimits {
  run: Record<'trusted' | 'untrusted', number>;
  project: Record<'trusted' | 'untrusted', number>;
}

export const toSlotLimits = ({ run, project }: Pick<RunLimits, 'run' | 'project'>): SlotLimits => ({
  run: { trusted: run.trusted.slots, untrusted: run.untrusted.slots },
  project: { trusted: project.trusted.slots, untrusted: project.untrusted.slots },
});

interface TrackedSlot {
  use: SlotUse;
  /** The session that has the activity, or undefined while it is in transit. */
  owner: object | undefined;
  /** Set for the slots of a worker that serves several orgs. */
  pool: OrgPool | undefined;
}

/**
 * Counts the slots of all agents of this server by run and by project, from the moment an activity is chosen, before
 * its claim is written, until its session releases it.
 */
export class SlotTracker implements SlotBounds {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #runs: Record<'trusted' | 'untrusted', Tally>;
  readonly #projects: Record<'trusted' | 'untrusted', Tally>;
  readonly #onSlotFreed: () => void;
  /** By activity, because only one claim of it is valid. */
  readonly #tracked = new Map<string, TrackedSlot>();
  /** Until when activities of open transactions count, the earliest first. */
  readonly #provisional_until = new Map<string, number>();

  /** `onSlotFreed` is called when a full run or project has slots again, so that work that was skipped may be claimed. */
  constructor({ run, project }: SlotLimits, clock: Pick<Clock, 'monotonic'>, onSlotFreed: () => void) {
    this.#clock = clock;
    this.#runs = { trusted: new Tally(run.trusted), untrusted: new Tally(run.untrusted) };
    this.#projects = { trusted: new Tally(project.trusted), untrusted: new Tally(project.untrusted) };
    this.#onSlotFreed = onSlotFreed;
  }

  take(use: SlotUse, for_ms?: number, pool?: OrgPool): boolean {
    this.#expireProvisional();
    this.#remove(use.activity_id);
    const kind = trustKind(use);
    if (pool?.isFull(use)) return false;
    if (this.#runs[kind].full.has(use.run_id) || this.#projects[kind].full.has(use.project_id)) return false;
    this.#add(use, undefined, pool);
    if (for_ms !== undefined) this.#provisional_until.set(use.activity_id, this.#clock.monotonic() + for_ms);
    return true;
  }

  /** Counts a slot that is already in use, whatever the limits. Without an owner the activity is in transit. */
  hold(use: SlotUse, owner?: object): void {
    const pool = this.#tracked.get(use.activity_id)?.pool;
    this.#remove(use.activity_id);
    this.#add(use, owner, pool);
  }

  /** Frees a slot without notifying, because the caller looks for work by itself. */
  giveBack(activity_id: string): void {
    if (this.#tracked.get(activity_id)?.owner === undefined) this.#remove(activity_id);
  }

  /**
   * Frees the slot of this owner, or of an activity in transit. It still counts if another owner has the activity by
   * now.
   */
  free(activity_id: string, owner?: object): void {
    const tracked = this.#tracked.get(activity_id);
    if (tracked && tracked.owner === owner && this.#remove(activity_id)) this.#onSlotFreed();
  }

  /** The same bounds for a worker that serves several orgs, which share its slots. */
  sharedBy(pool: OrgPool): SlotBounds {
    return {
      take: (use, for_ms) => this.take(use, for_ms, pool),
      giveBack: (activity_id) => this.giveBack(activity_id),
      full: (work) => ({ ...this.full(work), orgs: pool.full(work) }),
    };
  }

  full(work: Pick<SlotUse, 'trusted'>): FullSlots {
    this.#expireProvisional();
    const kind = trustKind(work);
    return { runs: [...this.#runs[kind].full], projects: [...this.#projects[kind].full] };
  }

  #add(
    { activity_id, run_id, org_id, project_id, trusted }: SlotUse,
    owner: object | undefined,
    pool: OrgPool | undefined,
  ): void {
    const use = { activity_id, run_id, org_id, project_id, trusted };
    this.#tracked.set(activity_id, { use, owner, pool });
    pool?.add(use);
    this.#runs[trustKind(use)].add(run_id);
    this.#projects[trustKind(use)].add(project_id);
  }

  /** Returns true when its org, run or project was full and has slots again. */
  #remove(activity_id: string): boolean {
    const tracked = this.#tracked.get(activity_id);
    if (!tracked) return false;
    this.#tracked.delete(activity_id);
    this.#provisional_until.delete(activity_id);
    const { run_id, project_id } = tracked.use;
    const run = this.#runs[trustKind(tracked.use)].remove(run_id);
    const project = this.#projects[trustKind(tracked.use)].remove(project_id);
    return (tracked.pool?.remove(tracked.use) ?? false) || run || project;
  }

  #expireProvisional(): void {
    const now = this.#clock.monotonic();
    for (const [activity_id, until] of this.#provisional_until) {
      if (until > now) return;
      this.#remove(activity_id);
    }
  }
}

const trustKind = ({ trusted }: Pick<SlotUse, 'trusted'>): 'trusted' | 'untrusted' =>
  trusted ? 'trusted' : 'untrusted';

/** Counts by key up to a limit. */
class Tally {
  readonly full = new Set<string>();
  readonly #bound: number;
  readonly #counts = new Map<string, number>();

  constructor(bound: number) {
    this.#bound = bound;
  }

  add(key: string): void {
    if (this.#bound === Infinity) return;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count >= this.#bound) this.full.add(key);
  }

  /** Returns true when the key was full and has slots again. */
  remove(key: string): boolean {
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
    return count < this.#bound && this.full.delete(key);
  }
}
