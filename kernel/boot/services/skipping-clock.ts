import {
  type Cancel,
  type Clock,
  type DueTime,
  type InFlightWork,
  iso,
  type TimedLoop,
  type TimeSkips,
} from '../../contracts/index.ts';
import { systemClock } from './clock.ts';

/** Selects the due times that the clock may jump to. */
export interface SkipRules {
  /** Includes times that recur. Otherwise the clock ignores them, even when nothing else is due. */
  recurring: boolean;
}

/** The outcome of one attempt to skip. `waits` means that nothing runs and that there is no due time to jump to. */
export type Skip =
  | { state: 'busy' }
  | { state: 'waits' }
  | ({ state: 'skipped'; by_ms: number; to: string } & Pick<DueTime, 'recurs' | 'description'>);

interface PendingPause {
  at: number;
  run: () => void;
}

/**
 * A clock that jumps to the next due time when nothing runs. Between jumps it follows the machine's clock, and it never goes
 * back. Only for a process that shares its database with no other.
 */
export class SkippingClock implements Clock {
  #offset_ms = 0;
  readonly #loops = new Set<TimedLoop>();
  #inFlight: InFlightWork | undefined;
  readonly #pauses = new Set<PendingPause>();

  readonly monotonic = systemClock.monotonic;
  readonly after = systemClock.after;

  readonly skips: TimeSkips = {
    join: (loop) => {
      this.#loops.add(loop);
      return () => this.#loops.delete(loop);
    },
    hold: (work) => {
      this.#inFlight = work;
      return () => (this.#inFlight = undefined);
    },
    rest: (delay_ms, run) => this.#rest(delay_ms, run),
  };

  readonly now = (): number => systemClock.now() + this.#offset_ms;

  /**
   * Jumps to the next due time if nothing runs. `getRules` is called once everything is idle; it returns undefined when it has
   * started something itself.
   */
  async skipTime(getRules: () => Promise<SkipRules | undefined>): Promise<Skip> {
    if (!(await this.#isIdle())) return { state: 'busy' };
    const rules = await getRules();
    // A loop may have handed work to one that had already been found idle; the second check finds it.
    if (rules === undefined || !(await this.#isIdle())) return { state: 'busy' };
    const next = this.#next(rules);
    if (next === undefined) return { state: 'waits' };
    const by_ms = next.at - this.now();
    if (by_ms <= 0 || !(await this.#jump(by_ms))) return { state: 'busy' };
    return { state: 'skipped', by_ms, to: iso(next.at), recurs: next.recurs, description: next.description };
  }

  async #isIdle(): Promise<boolean> {
    if (await this.#isBlocked()) return false;
    const idle = await Promise.all([...this.#loops].map((loop) => loop.isIdle()));
    return !idle.includes(false) && !(await this.#isBlocked());
  }

  async #isBlocked(): Promise<boolean> {
    return (await this.#inFlight?.isInFlight(this.#pauses.size)) ?? false;
  }

  #next({ recurring }: SkipRules): DueTime | undefined {
    const due: DueTime[] = [...this.#loops].flatMap((loop) => loop.due() ?? []);
    for (const { at } of this.#pauses) due.push({ at, description: 'a pause between attempts' });
    return due.filter(({ recurs }) => recurring || recurs !== true).toSorted((a, b) => a.at - b.at)[0];
  }

  async #jump(by_ms: number): Promise<boolean> {
    const jump = () => {
      this.#offset_ms += by_ms;
    };
    if (this.#inFlight === undefined) jump();
    else if (!(await this.#inFlight.jump(by_ms, this.#pauses.size, jump))) return false;
    const now = this.now();
    for (const pause of [...this.#pauses]) if (pause.at <= now) pause.run();
    for (const loop of this.#loops) loop.skipped();
    return true;
  }

  #rest(delay_ms: number, run: () => void): Cancel {
    const end = () => {
      cancel();
      if (this.#pauses.delete(pause)) run();
    };
    const pause: PendingPause = { at: this.now() + delay_ms, run: end };
    const cancel = systemClock.after(delay_ms, end);
    this.#pauses.add(pause);
    return () => {
      cancel();
      this.#pauses.delete(pause);
    };
  }
}
