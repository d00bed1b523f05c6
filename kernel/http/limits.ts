import { JSON_LIMITS, type JsonLimits } from '../schema/index.ts';

/** Every bound of the HTTP layer in one place; tests make them small. */
export interface HttpLimits extends JsonLimits {
  /** Bytes of a request target. */
  target_bytes: number;
  /** Characters of one decoded path parameter. */
  param_length: number;
  /** Bytes of a body after decompression, where the route names no other. */
  body_bytes: number;
  /** Bodies above this get their first fault only. */
  list_faults_bytes: number;
  /** A body must go on within this time … */
  body_idle_ms: number;
  /** … and be whole within this one. */
  body_total_ms: number;
  /** How long an answered caller may go on sending a body that nobody reads, so that it sees the answer. */
  linger_ms: number;
  /** One check of `GET /readyz`. */
  health_ms: number;
  /** How often idle connections are closed while draining. */
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
  linger_ms: 2_000,
  health_ms: 2_000,
  drain_tick_ms: 100,
};
