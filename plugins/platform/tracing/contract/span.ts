import type { TraceContext } from './context.ts';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanEvent {
  name: string;
  /** Epoch ms. */
  at: number;
  attributes?: SpanAttributes;
}

/**
 * A span that has ended. Its name and attributes contain ids, names and counts, and never an output, an argument, an input or a
 * secret.
 */
export interface FinishedSpan {
  context: TraceContext;
  /** The id of its parent in the same trace. */
  parent?: string | undefined;
  /** True when the parent is in another process. */
  remote?: boolean;
  name: string;
  kind: SpanKind;
  /** Epoch ms, with fractions. */
  start: number;
  end: number;
  attributes: SpanAttributes;
  /** The code of the error, never its message. Absent on success. */
  error?: string | undefined;
  events?: readonly SpanEvent[];
}
