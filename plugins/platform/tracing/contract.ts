import { token } from '../../../kernel/contracts/index.ts';
import type { TraceContext } from './contract/context.ts';
import type { FinishedSpan } from './contract/span.ts';

export * from './contract/client-span.ts';
export * from './contract/context.ts';
export * from './contract/ids.ts';
export * from './contract/span.ts';

/** The trace of a run, as it is stored. */
export interface TracedRun {
  run_id: string;
  /** The span that started the run, as `encodeTrace` encodes it; null when the run has its own trace. */
  trace: string | null;
}

export interface Tracer {
  /** Returns the current span. */
  current(): TraceContext | undefined;
  /** Runs the work, and everything that it awaits, with this span as the current one. */
  within<T>(context: TraceContext, work: () => T): T;
  /** Begins a span with a new id, as a child of the parent or in a new trace. */
  begin(parent: TraceContext | undefined): TraceContext;
  /** Returns the span of a run, which is the same on every server at any time. */
  ofRun(run: TracedRun): TraceContext;
  /** Remembers a run for a while, so that log lines with its id get its trace. */
  remember(run: TracedRun): TraceContext;
  /** Queues a span. It never blocks or throws: a span for which the queue has no room is dropped and counted. */
  add(span: FinishedSpan): void;
  /** Counts spans that could not be made. */
  dropped(count: number): void;
  /** Returns the address of the page of a trace, if the operator has configured one. */
  pageOf(trace_id: string): string | undefined;
}

/** `on` is undefined without an endpoint. Then nothing must be done for traces, and no trace context be passed on. */
export interface Tracing {
  readonly on: Tracer | undefined;
}

export const Tracing = token<Tracing>('tracing.Tracing');
