import type { CallSite } from './journal.ts';

/** Attempts of one call, the first one included. */
export const MAX_ATTEMPTS = 100;
/** From this pause on an activity parks between two attempts: its agent is free meanwhile, and any agent goes on. */
export const PARKED_PAUSE_MS = 5000;
/** Bytes of the end of an attempt's output that are kept. */
export const MAX_ATTEMPT_OUTPUT_BYTES = 4096;
/** Characters of the beginning of an attempt's message that are kept. */
export const MAX_ATTEMPT_MESSAGE_LENGTH = 2048;

/** How often a call is tried, and how long between. Times in milliseconds. */
export interface RetryPolicy {
  /** Of all attempts, the first one included. */
  attempts: number;
  /** Before the second attempt, and before all others without `max_backoff_ms`. */
  backoff_ms: number;
  /** With it each pause is twice as long as the previous one, up to this limit. */
  max_backoff_ms?: number;
}

/** The pause after an attempt that failed, counted from 1. */
export const pauseAfter = (attempt: number, { backoff_ms, max_backoff_ms }: RetryPolicy): number =>
  max_backoff_ms === undefined ? backoff_ms : Math.min(max_backoff_ms, backoff_ms * 2 ** (attempt - 1));

/** The end of an output that was masked before: half a secret would not be found. Whole characters, where it is a text. */
export function endOfOutput(masked: Buffer): Buffer {
  if (masked.length <= MAX_ATTEMPT_OUTPUT_BYTES) return masked;
  let from = masked.length - MAX_ATTEMPT_OUTPUT_BYTES;
  // Bytes of the form 10…… go on with a character; it has at most three of them.
  for (let most = 3; most > 0 && (masked[from]! & 0xc0) === 0x80; most -= 1) from += 1;
  return masked.subarray(from);
}

/** The beginning of a message that was masked before. */
export const startOfMessage = (masked: string): string => masked.slice(0, MAX_ATTEMPT_MESSAGE_LENGTH).toWellFormed();

/** An attempt that failed and is not the last one. */
export interface FailedAttempt extends CallSite {
  /** From 1. */
  attempt: number;
  /** Of so many. */
  attempts: number;
  exit_code: number;
  /** The end of its stdout, masked, base64. */
  output: string;
  /** Its beginning, masked. */
  message?: string;
  pause_ms: number;
  /** The activity is parked for the pause. */
  park: boolean;
}

export type Attempted = { parked: true } | { kept: true };

/** What earlier passes have tried at a position that has no record. */
export interface Tried extends Pick<CallSite, 'position' | 'kind' | 'name' | 'ordinal'> {
  attempts: number;
  /** What is left of the pause. */
  pause_ms: number;
}
