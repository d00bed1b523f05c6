/** A reference to a span, as in W3C Trace Context. */
export interface TraceContext {
  /** 32 hex digits. */
  trace_id: string;
  /** 16 hex digits. */
  span_id: string;
  /** True when its spans are exported. */
  sampled: boolean;
  /** The `tracestate` header, as it was received. */
  state?: string | undefined;
}

/** The headers that pass a trace on to a process or a request. */
export interface TraceHeaders {
  traceparent: string;
  tracestate?: string | undefined;
}

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Printable ASCII, of the length that every participant must propagate. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** Parses `traceparent`; undefined for an invalid one, which must be ignored according to the standard. */
export function readTrace(traceparent: string | undefined, tracestate?: string): TraceContext | undefined {
  const [, version, trace_id, span_id, flags, more] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (trace_id === undefined || span_id === undefined || flags === undefined) return undefined;
  // Later versions may add fields, but version 00 has no others.
  if (version === '00' && more !== undefined) return undefined;
  const sampled = (Number.parseInt(flags, 16) & 1) === 1;
  const state = tracestate?.trim();
  return { trace_id, span_id, sampled, ...(state !== undefined && TRACESTATE.test(state) && { state }) };
}

export const traceHeaders = ({ trace_id, span_id, sampled, state }: TraceContext): TraceHeaders => ({
  traceparent: `00-${trace_id}-${span_id}-${sampled ? '01' : '00'}`,
  ...(state !== undefined && { tracestate: state }),
});

/** Encodes a context as one text, for a column or a record. */
export function encodeTrace(context: TraceContext): string {
  const { traceparent, tracestate } = traceHeaders(context);
  return tracestate === undefined ? traceparent : `${traceparent} ${tracestate}`;
}

/** Decodes such a text; undefined for null and for a text that this version cannot read. */
export function decodeTrace(encoded: string | null | undefined): TraceContext | undefined {
  if (encoded === null || encoded === undefined) return undefined;
  const end = encoded.indexOf(' ');
  return end < 0 ? readTrace(encoded) : readTrace(encoded.slice(0, end), encoded.slice(end + 1));
}
