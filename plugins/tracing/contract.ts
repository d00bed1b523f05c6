import { token } from '../../kernel/contracts/index.ts';
import type { TraceContext } from './contract/context.ts';
import type { FinishedSpan } from './contract/span.ts';

export * from './contract/client-span.ts';
export * from './contract/context.ts';
export * from './contract/ids.ts';
export * from './contract/span.ts';

/** What a run keeps of its trace. */
export interface TracedRun {
  run_id: string;
  /** The span that started it, as `keptTrace` writes it; null: none, and its trace is its own. */
  trace: string | null;
}

export interface Tracer {
  /** The span in which the caller works. */
  current(): TraceContext | undefined;
  /** The work, and what it awaits, has this span as `current`. */
  within<T>(context: TraceContext, work: () => T): T;
  /** A span that begins now, with an id of its own: below the parent, or in a new trace. */
  begin(parent: TraceContext | undefined): TraceContext;
  /** The span of a run: the same on every server, at every time. */
  ofRun(run: TracedRun): TraceContext;
  /** Log lines that name this run carry its trace, for as long as it is remembered. */
  know(run: TracedRun): TraceContext;
  /** Queues a span. Never blocks and never throws; one for which there is no room is dropped and counted. */
  add(span: FinishedSpan): void;
  /** Spans that could not be made. */
  dropped(count: number): void;
  /** The page of a trace elsewhere, if the operator has said where that is. */
  pageOf(trace_id: string): string | undefined;
}

/** `on` is undefined without an endpoint: then nothing may be done for traces, and nothing be handed to anybody. */
export interface Tracing {
  readonly on: Tracer | undefined;
}

export const Tracing = token<Tracing>('tracing.Tracing');
