import { token } from './tokens.ts';

/** ISO 8601 in UTC with milliseconds. Some drivers answer a large number as text. */
export const iso = (ms: number | string): string => new Date(Number(ms)).toISOString();

/** Cancels the operation that returned it. Safe to call twice. */
export type Cancel = () => void;

/** The only source of time. Times are epoch milliseconds, spans are milliseconds. */
export interface Clock {
  now(): number;
  /** Never goes back; for measuring spans. */
  monotonic(): number;
  /** Calls `run` once after `delay_ms`. With `unref` it does not keep the process alive. */
  after(delay_ms: number, run: () => void, options?: { unref?: boolean }): Cancel;
  /** Only of a clock that can be put forward: what works by it says here when it has nothing to do. */
  readonly skips?: TimeSkips;
}

/** A time to which a clock may be put forward. */
export interface DueTime {
  /** By `now()`. */
  at: number;
  /** There is always another one after it. */
  recurs?: boolean;
  /** What is due, where no run says it: `a schedule`. */
  says?: string;
}

/** A loop that carries out stored work, some of it at stored times. */
export interface TimedLoop {
  /** Looks for work that can be done now. True when there was none since the last call of this. */
  isIdle(): Promise<boolean>;
  /** When time alone brings its next work, as of its last look. */
  due(): DueTime | undefined;
  /** The clock was put forward. */
  skipped(): void;
}

/** Work that others carry out, and that holds the clock while it is under way. */
export interface HeldWork {
  /** `resting`: how many of them do nothing but `rest`. */
  isUnderWay(resting: number): Promise<boolean>;
  /**
   * Calls `jump` when nothing is under way and nothing can begin meanwhile, and moves times of its own that must not pass by a
   * jump. Answers whether it did.
   */
  jump(by_ms: number, resting: number, jump: () => void): Promise<boolean>;
}

/**
 * Who works by a clock that can be put forward. Only `now()` jumps: spans and timers stay real, so that heartbeats and
 * limits of requests do not notice.
 */
export interface TimeSkips {
  join(loop: TimedLoop): Cancel;
  /** The last one counts. */
  hold(work: HeldWork): Cancel;
  /** As `after`, for a pause in which its caller does nothing else. A jump shortens it. */
  rest(delay_ms: number, run: () => void): Cancel;
}

/** A pause in which its caller does nothing else: a clock that can be put forward need not wait for it. */
export const rest = (clock: Clock, delay_ms: number, run: () => void): Cancel =>
  clock.skips?.rest(delay_ms, run) ?? clock.after(delay_ms, run);

/** The only source of identifiers and randomness. */
export interface Ids {
  /** A time-ordered opaque id, e.g. `run_01J…` (prefix, underscore, 26 characters of Crockford base32). */
  next(prefix: string): string;
  bytes(count: number): Buffer;
}

export const Clock = token<Clock>('kernel.Clock');
export const Ids = token<Ids>('kernel.Ids');
