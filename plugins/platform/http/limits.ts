import { JSON_LIMITS, type JsonLimits } from '../schema/contract.ts';

/** Every limit of the HTTP layer. Tests lower them. */
export interface HttpLimits extends JsonLimits {
  /** Bytes of a request target. */
  target_bytes: number;
  /** Characters of one decoded path parameter. */
  param_length: number;
  /** Bytes of a decompressed body when the route sets no other limit. */
  body_bytes: number;
  /** For larger bodies, only the first validation error is reported. */
  list_errors_bytes: number;
  /** The longest pause within a body. */
  body_idle_ms: number;
  /** The longest time for a whole body, unless the route streams it. */
  body_total_ms: number;
  /** The longest time from a connection, or from the first byte of a further request on it, to the end of the head. */
  head_ms: number;
  /** How long a connection is kept for another request. */
  keep_alive_ms: number;
  /** How long a caller without credentials may take to read an answer. */
  answer_ms: number;
  /** How long the reader of a stream may read nothing while data waits. */
  unread_stream_ms: number;
  /** The TCP keep-alive delay: a peer that stays silent is probed after this time, and given up 10 s later. */
  probe_ms: number;
  /** The interval at which connections that last too long are closed. */
  sweep_ms: number;
  /** How long a caller may go on sending a body after its answer, so that it can read the answer. */
  linger_ms: number;
  /** How many bytes of answers may wait for one caller before its further requests are rejected. */
  unread_bytes: number;
  /** The same limit for all callers of one org. */
  unread_org_bytes: number;
  /** The number of bytes of all bodies that are being received or whose requests have not been answered. */
  pending_body_bytes: number;
  /** The time limit of one check of `GET /readyz`. */
  health_ms: number;
  /** The interval at which idle connections are closed while draining. */
  drain_tick_ms: number;
}

export const LIMITS: HttpLimits = {
  target_bytes: 8 * 1024,
  param_length: 512,
  body_bytes: 1024 * 1024 + 64 * 1024,
  ...JSON_LIMITS,
  list_errors_bytes: 64 * 1024,
  body_idle_ms: 10_000,
  body_total_ms: 120_000,
  head_ms: 30_000,
  keep_alive_ms: 65_000,
  answer_ms: 120_000,
  unread_stream_ms: 300_000,
  probe_ms: 60_000,
  sweep_ms: 5_000,
  linger_ms: 2_000,
  unread_bytes: 64 * 1024 * 1024,
  unread_org_bytes: 256 * 1024 * 1024,
  pending_body_bytes: 256 * 1024 * 1024,
  health_ms: 2_000,
  drain_tick_ms: 100,
};
