import {
  type Cancel,
  type Clock,
  type DueTime,
  type HeldWork,
  iso,
  type TimedLoop,
  type TimeSkips,
} from '../../contracts/index.ts';
import { systemClock } from './clock.ts';

/** Which due times count. */
export interface SkipRules {
  /** Those that recur too: without it they are passed over, or nothing is due. */
  recurring: boolean;
}

/** `waits`: nothing runs and no time that may be skipped to is due. */
export type Skip =
  | { state: 'busy' }
  | { state: 'waits' }
  | ({ state: 'skipped'; by_ms: number; to: string } & Pick<DueTime, 'recurs' | 'says'>);

interface Rest {
  at: number;
  run: () => void;
}

/**
 * A clock that jumps to the next due time when nothing runs. It never goes back, and is the machine's clock in between. For a
 * process that has its database for itself.
 */
export class SkippingClock implements Clock {
  #ahead_ms = 0;
  readonly #loops = new Set<TimedLoop>();
  #held: HeldWork | undefined;
  readonly #rests = new Set<Rest>();

  readonly monotonic = systemClock.monotonic;
  readonly after = systemClock.after;

  readonly skips: TimeSkips = {
    join: (loop) => {
      this.#loops.add(loop);
      return () => this.#loops.delete(loop);
    },
    hold: (work) => {
      this.#held = work;
      return () => (this.#held = undefined);
    },
    rest: (delay_ms, run) => this.#rest(delay_ms, run),
  };

  readonly now = (): number => systemClock.now() + this.#ahead_ms;

  /**
   * Jumps to the next due time, if nothing runs. `ask` is called while nothing does; when it answers nothing, it has made
   * something run.
   */
  async skip(ask: () => Promise<SkipRules | undefined>): Promise<Skip> {
    if (!(await this.#isStill())) return { state: 'busy' };
    const rules = await ask();
    // What a loop left to one whose look was over shows at the second look.
    if (rules === undefined || !(await this.#isStill())) return { state: 'busy' };
    const next = this.#next(rules);
    if (next === undefined) return { state: 'waits' };
    const by_ms = next.at - this.now();
    if (by_ms <= 0 || !(await this.#jump(by_ms))) return { state: 'busy' };
    return { state: 'skipped', by_ms, to: iso(next.at), recurs: next.recurs, says: next.says };
  }

  async #isStill(): Promise<boolean> {
    if (await this.#isHeld()) return false;
    const idle = await Promise.all([...this.#loops].map((loop) => loop.isIdle()));
    return !idle.includes(false) && !(await this.#isHeld());
  }

  async #isHeld(): Promise<boolean> {
    return (await this.#held?.isUnderWay(this.#rests.size)) ?? false;
  }

  #next({ recurring }: SkipRules): DueTime | undefined {
    const due: DueTime[] = [...this.#loops].flatMap((loop) => loop.due() ?? []);
    for (const { at } of this.#rests) due.push({ at, says: 'a pause between attempts' });
    return due.filter(({ recurs }) => recurring || recurs !== true).toSorted((a, b) => a.at - b.at)[0];
  }

  async #jump(by_ms: number): Promise<boolean> {
    const jump = () => {
      this.#ahead_ms += by_ms;
    };
    if (this.#held === undefined) jump();
    else if (!(await this.#held.jump(by_ms, this.#rests.size, jump))) return false;
    const now = this.now();
    for (const one of [...this.#rests]) if (one.at <= now) one.run();
    for (const loop of this.#loops) loop.skipped();
    return true;
  }

  #rest(delay_ms: number, run: () => void): Cancel {
    const end = () => {
      cancel();
      if (this.#rests.delete(one)) run();
    };
    const one: Rest = { at: this.now() + delay_ms, run: end };
    const cancel = systemClock.after(delay_ms, end);
    this.#rests.add(one);
    return () => {
      cancel();
      this.#rests.delete(one);
    };
  }
}
