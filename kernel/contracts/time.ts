import { token } from './tokens.ts';

/** Stops whatever it was returned for. Safe to call twice. */
export type Cancel = () => void;

/** The only source of time. All times are epoch milliseconds, all spans milliseconds. */
export interface Clock {
  now(): number;
  /** Never goes back; for measuring spans. */
  monotonic(): number;
  /** Calls `run` once after `delay_ms`. Does not keep the process alive by itself when `unref`. */
  after(delay_ms: number, run: () => void, options?: { unref?: boolean }): Cancel;
}

/** The only source of identifiers and randomness. */
export interface Ids {
  /** A time-ordered opaque id, e.g. `run_01J…` (prefix, underscore, 26 characters of Crockford base32). */
  next(prefix: string): string;
  bytes(count: number): Buffer;
}

export const Clock = token<Clock>('kernel.Clock');
export const Ids = token<Ids>('kernel.Ids');
