import { token } from './tokens.ts';

/** Formats a time as ISO 8601 in UTC with milliseconds. Some drivers return large numbers as text. */
export const iso = (ms: number | string): string => new Date(Number(ms)).toISOString();

/** Cancels the operation that returned it. Safe to call twice. */
export type Cancel = () => void;

/** The only source of time. Times are epoch milliseconds, and spans are milliseconds. */
export interface Clock {
  now(): number;
  /** Never goes back. Use it to measure spans. */
  monotonic(): number;
  /** Calls `run` once after `delay_ms`. With `unref` the timer does not keep the process alive. */
  after(delay_ms: number, run: () => void, options?: { unref?: boolean }): Cancel;
  /** Present on a clock that can be put forward. Whatever works by the clock registers here. */
  readonly skips?: TimeSkips;
}

/** A time to which a clock may be put forward. */
export interface DueTime {
  /** By `now()`. */
  at: number;
  /** Set when another one always follows. */
  recurs?: boolean;
  /** Names what is due if no run names it: `a schedule`. */
  description?: string;
}

/** A loop that performs stored work, some of which is due at a stored time. */
export interface TimedLoop {
  /** Polls for work. True when there has been none since the last call. */
  isIdle(): Promise<boolean>;
  /** Returns when its next work becomes due, as of its last poll. */
  due(): DueTime | undefined;
  /** Called after the clock was put forward. */
  skipped(): void;
}

/** Work outside of the loops that keeps the clock from jumping while it is in flight. */
export interface InFlightWork {
  /** `resting` is the number of pending calls of `rest`: work that only pauses does not count as in flight. */
  isInFlight(resting: number): Promise<boolean>;
  /**
   * Calls `jump` when nothing is in flight and nothing can begin meanwhile, and moves its own deadlines that must not expire
   * because of the jump. Returns whether it jumped.
   */
  jump(by_ms: number, resting: number, jump: () => void): Promise<boolean>;
}

/**
 * Registers whatever works by a clock that can be put forward. Only `now()` jumps: spans and timers stay real, so that
 * heartbeats and timeouts are not affected.
 */
export interface TimeSkips {
  join(loop: TimedLoop): Cancel;
  /** Replaces the work that was registered before. */
  hold(work: InFlightWork): Cancel;
  /** Like `after`, for a pause during which the caller does nothing else. A jump shortens it. */
  rest(delay_ms: number, run: () => void): Cancel;
}

/** Pauses while the caller does nothing else, so that a clock that can be put forward need not wait for it. */
export const rest = (clock: Clock, delay_ms: number, run: () => void): Cancel =>
  clock.skips?.rest(delay_ms, run) ?? clock.after(delay_ms, run);

/** The only source of identifiers and randomness. */
export interface Ids {
  /** Makes an opaque id that is ordered by time: prefix, underscore, 26 characters of Crockford base32 (`run_01J…`). */
  next(prefix: string): string;
  bytes(count: number): Buffer;
}

export const Clock = token<Clock>('kernel.Clock');
export const Ids = token<Ids>('kernel.Ids');
