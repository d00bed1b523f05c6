import { hash } from 'node:crypto';

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

const derived = (parts: readonly string[], digits: number): string =>
  hash('sha256', parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''), 'hex').slice(0, digits);

/**
 * Ids of what is recorded come from the record and not from chance: every server, at every time, gives the same span the
 * same id, and a span that is exported twice is the same one twice.
 */
export const traceIdOf = (run_id: string): string => derived(['svc/trace/v1', run_id], TRACE_DIGITS);

export const spanIdOf = (kind: 'run' | 'activity' | 'pass' | 'node' | 'request', ...parts: readonly string[]): string =>
  derived(['svc/span/v1', kind, ...parts], SPAN_DIGITS);

/** A step's span is named by the key that its command has anyway, so that whoever runs it knows it without being told. */
export const stepSpanId = (idempotency_key: string): string => idempotency_key.slice(0, SPAN_DIGITS);
