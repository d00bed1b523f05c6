/** A span as others refer to it, as in W3C Trace Context. */
export interface TraceContext {
  /** 32 hex digits. */
  trace_id: string;
  /** 16 hex digits. */
  span_id: string;
  /** Its spans are exported. */
  sampled: boolean;
  /** `tracestate`, as it came. */
  state?: string | undefined;
}

/** What a process or a request is handed. */
export interface TraceHeaders {
  traceparent: string;
  tracestate?: string | undefined;
}

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Printable, on one line, and as long as everybody has to pass on. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** Undefined for what is no `traceparent`: that is ignored, as the standard says. */
export function readTrace(traceparent: string | undefined, tracestate?: string): TraceContext | undefined {
  const [, version, trace_id, span_id, flags, more] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (trace_id === undefined || span_id === undefined || flags === undefined) return undefined;
  // Later versions may add parts; this one has none.
  if (version === '00' && more !== undefined) return undefined;
  const sampled = (Number.parseInt(flags, 16) & 1) === 1;
  const state = tracestate?.trim();
  return { trace_id, span_id, sampled, ...(state !== undefined && TRACESTATE.test(state) && { state }) };
}

export const traceHeaders = ({ trace_id, span_id, sampled, state }: TraceContext): TraceHeaders => ({
  traceparent: `00-${trace_id}-${span_id}-${sampled ? '01' : '00'}`,
  ...(state !== undefined && { tracestate: state }),
});

/** As one text, for a column or a record. */
export function keptTrace(context: TraceContext): string {
  const { traceparent, tracestate } = traceHeaders(context);
  return tracestate === undefined ? traceparent : `${traceparent} ${tracestate}`;
}

/** Undefined for null, and for what this version cannot read. */
export function readKept(kept: string | null | undefined): TraceContext | undefined {
  if (kept === null || kept === undefined) return undefined;
  const end = kept.indexOf(' ');
  return end < 0 ? readTrace(kept) : readTrace(kept.slice(0, end), kept.slice(end + 1));
}
