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
}

/** The only source of identifiers and randomness. */
export interface Ids {
  /** A time-ordered opaque id, e.g. `run_01J…` (prefix, underscore, 26 characters of Crockford base32). */
  next(prefix: string): string;
  bytes(count: number): Buffer;
}

export const Clock = token<Clock>('kernel.Clock');
export const Ids = token<Ids>('kernel.Ids');
