import type { Clock } from '../../../kernel/contracts/index.ts';
import type { FullSlots, RunLimits, SlotBounds, SlotUse } from '../../runs/contract.ts';

/** How many slots each run and each project may hold. Work of untrusted runs has bounds of its own. */
export interface SlotLimits {
  run: Record<'trusted' | 'untrusted', number>;
  project: Record<'trusted' | 'untrusted', number>;
}

export const slotLimitsOf = ({ run, project }: Pick<RunLimits, 'run' | 'project'>): SlotLimits => ({
  run: { trusted: run.trusted.slots, untrusted: run.untrusted.slots },
  project: { trusted: project.trusted.slots, untrusted: project.untrusted.slots },
});

interface Counted {
  use: SlotUse;
  /** The session that holds it; undefined: it is on its way to one. */
  owner: object | undefined;
}

/**
 * Counts the slots of all agents of this server by run and by project: from the choice of an activity on, before its claim
 * is written, until its session lets it go.
 */
export class HeldSlots implements SlotBounds {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #runs: Record<'trusted' | 'untrusted', Tally>;
  readonly #projects: Record<'trusted' | 'untrusted', Tally>;
  readonly #roomMade: () => void;
  /** By activity: only one claim of it is valid. */
  readonly #counted = new Map<string, Counted>();
  /** Until when activities of open transactions count, the earliest first. */
  readonly #until = new Map<string, number>();

  /** `roomMade`: something that was full has room again, so that work which was passed over may be claimed. */
  constructor({ run, project }: SlotLimits, clock: Pick<Clock, 'monotonic'>, roomMade: () => void) {
    this.#clock = clock;
    this.#runs = { trusted: new Tally(run.trusted), untrusted: new Tally(run.untrusted) };
    this.#projects = { trusted: new Tally(project.trusted), untrusted: new Tally(project.untrusted) };
    this.#roomMade = roomMade;
  }

  take(use: SlotUse, for_ms?: number): boolean {
    this.#forgetUndone();
    this.#remove(use.activity_id);
    const kind = kindOf(use);
    if (this.#runs[kind].full.has(use.run_id) || this.#projects[kind].full.has(use.project_id)) return false;
    this.#add(use, undefined);
    if (for_ms !== undefined) this.#until.set(use.activity_id, this.#clock.monotonic() + for_ms);
    return true;
  }

  /** Counts what is held already, whatever the bounds. Without an owner it is on its way to one. */
  hold(use: SlotUse, owner?: object): void {
    this.#remove(use.activity_id);
    this.#add(use, owner);
  }

  /** Tells nobody: who takes and gives back in turns looks for work himself. */
  giveBack(activity_id: string): void {
    if (this.#counted.get(activity_id)?.owner === undefined) this.#remove(activity_id);
  }

  /** The owner has it no more; without one, it has not reached any. What another owner has of it by now still counts. */
  free(activity_id: string, owner?: object): void {
    const counted = this.#counted.get(activity_id);
    if (counted && counted.owner === owner && this.#remove(activity_id)) this.#roomMade();
  }

  full(work: Pick<SlotUse, 'trusted'>): FullSlots {
    this.#forgetUndone();
    const kind = kindOf(work);
    return { runs: [...this.#runs[kind].full], projects: [...this.#projects[kind].full] };
  }

  #add({ activity_id, run_id, project_id, trusted }: SlotUse, owner: object | undefined): void {
    const use = { activity_id, run_id, project_id, trusted };
    this.#counted.set(activity_id, { use, owner });
    this.#runs[kindOf(use)].add(run_id);
    this.#projects[kindOf(use)].add(project_id);
  }

  /** True when its run or its project was full and has room now. */
  #remove(activity_id: string): boolean {
    const counted = this.#counted.get(activity_id);
    if (!counted) return false;
    this.#counted.delete(activity_id);
    this.#until.delete(activity_id);
    const { run_id, project_id } = counted.use;
    const run = this.#runs[kindOf(counted.use)].remove(run_id);
    const project = this.#projects[kindOf(counted.use)].remove(project_id);
    return run || project;
  }

  #forgetUndone(): void {
    const now = this.#clock.monotonic();
    for (const [activity_id, until] of this.#until) {
      if (until > now) return;
      this.#remove(activity_id);
    }
  }
}

const kindOf = ({ trusted }: Pick<SlotUse, 'trusted'>): 'trusted' | 'untrusted' => (trusted ? 'trusted' : 'untrusted');

/** Counts by key up to a bound. */
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

  /** True when the key was full and has room now. */
  remove(key: string): boolean {
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
    return count < this.#bound && this.full.delete(key);
  }
}
