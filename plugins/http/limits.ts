import { JSON_LIMITS, type JsonLimits } from '../schema/contract.ts';

/** Every limit of the HTTP layer in one place; tests make them smaller. */
export interface HttpLimits extends JsonLimits {
  /** Bytes of a request target. */
  target_bytes: number;
  /** Characters of one decoded path parameter. */
  param_length: number;
  /** Bytes of a decompressed body when the route sets no other limit. */
  body_bytes: number;
  /** For larger bodies only the first fault is reported. */
  list_faults_bytes: number;
  /** The longest pause within a body … */
  body_idle_ms: number;
  /** … and the longest time for a whole body that is not streamed. */
  body_total_ms: number;
  /** The longest time from a connection, or from the first byte of a further request on it, to the end of the head. */
  head_ms: number;
  /** How long a connection is kept for another request. */
  kept_ms: number;
  /** The longest time in which a caller without credentials reads an answer. */
  answer_ms: number;
  /** The longest time in which the reader of a stream takes nothing although something waits for him. */
  unread_stream_ms: number;
  /** After so long without a byte the system asks the other machine whether it is there, and 10 s later gives it up. */
  probe_ms: number;
  /** Interval of looking for connections that last too long. */
  sweep_ms: number;
  /** How long a caller may go on sending a body after its answer, so that it can read the answer. */
  linger_ms: number;
  /** Bytes of answers that may wait for one caller to read them, before further requests are refused. */
  unread_bytes: number;
  /** Time limit of one check of `GET /readyz`. */
  health_ms: number;
  /** Interval of closing idle connections while draining. */
  drain_tick_ms: number;
}

export const LIMITS: HttpLimits = {
  target_bytes: 8 * 1024,
  param_length: 512,
  body_bytes: 1024 * 1024 + 64 * 1024,
  ...JSON_LIMITS,
  list_faults_bytes: 64 * 1024,
  body_idle_ms: 10_000,
  body_total_ms: 120_000,
  head_ms: 30_000,
  kept_ms: 65_000,
  answer_ms: 120_000,
  unread_stream_ms: 300_000,
  probe_ms: 60_000,
  sweep_ms: 5_000,
  linger_ms: 2_000,
  unread_bytes: 64 * 1024 * 1024,
  health_ms: 2_000,
  drain_tick_ms: 100,
};
