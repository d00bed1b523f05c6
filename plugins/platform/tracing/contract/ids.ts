import { hash } from 'node:crypto';

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

const deriveId = (values: readonly string[], digits: number): string =>
  hash('sha256', values.map((value) => `${Buffer.byteLength(value)}:${value}`).join(''), 'hex').slice(0, digits);

/**
 * The ids of recorded things are derived from the record and not random: every server gives a span the same id at any time, and
 * a span that is exported twice has the same id both times.
 */
export const traceIdOf = (run_id: string): string => deriveId(['svc/trace/v1', run_id], TRACE_DIGITS);

export const spanIdOf = (kind: 'run' | 'activity' | 'pass' | 'node' | 'request', ...keys: readonly string[]): string =>
  deriveId(['svc/span/v1', kind, ...keys], SPAN_DIGITS);

/** The span id of a step is derived from its idempotency key, which the command has anyway. */
export const stepSpanId = (idempotency_key: string): string => idempotency_key.slice(0, SPAN_DIGITS);
