import { AsyncLocalStorage } from 'node:async_hooks';
import { BoundedMap, type Ids } from '../../../kernel/contracts/index.ts';
import {
  type FinishedSpan,
  readKept,
  spanIdOf,
  type TraceContext,
  type TracedRun,
  type Tracer,
  traceIdOf,
} from '../contract.ts';
import type { TracingSettings } from '../domain/settings.ts';
import type { SpanQueue } from './span-queue.ts';

/** Runs whose log lines carry their trace. */
const MAX_KNOWN = 5000;

export interface TracerParts extends Pick<TracingSettings, 'sampler' | 'trace_url'> {
  ids: Pick<Ids, 'bytes'>;
  queue: Pick<SpanQueue, 'add' | 'dropped'>;
}

export class OtlpTracer implements Tracer {
  readonly #parts: TracerParts;
  readonly #present = new AsyncLocalStorage<TraceContext>();
  readonly #known = new BoundedMap<string, TraceContext>(MAX_KNOWN);

  constructor(parts: TracerParts) {
    this.#parts = parts;
  }

  current(): TraceContext | undefined {
    return this.#present.getStore();
  }

  within<T>(context: TraceContext, work: () => T): T {
    return this.#present.run(context, work);
  }

  begin(parent: TraceContext | undefined): TraceContext {
    const { ids, sampler } = this.#parts;
    const trace_id = parent?.trace_id ?? ids.bytes(16).toString('hex');
    const span_id = ids.bytes(8).toString('hex');
    return { trace_id, span_id, sampled: sampler(trace_id, parent), state: parent?.state };
  }

  ofRun({ run_id, trace }: TracedRun): TraceContext {
    const parent = readKept(trace);
    const trace_id = parent?.trace_id ?? traceIdOf(run_id);
    const sampled = this.#parts.sampler(trace_id, parent);
    return { trace_id, span_id: spanIdOf('run', run_id), sampled, state: parent?.state };
  }

  know(run: TracedRun): TraceContext {
    const known = this.#known.get(run.run_id);
    if (known) return known;
    const context = this.ofRun(run);
    this.#known.set(run.run_id, context);
    return context;
  }

  /** Of the run that a log line names, or of the work that writes it. */
  ofLine(run_id: unknown): TraceContext | undefined {
    return (typeof run_id === 'string' ? this.#known.get(run_id) : undefined) ?? this.current();
  }

  add(span: FinishedSpan): void {
    if (span.context.sampled) this.#parts.queue.add(span);
  }

  dropped(count: number): void {
    this.#parts.queue.dropped(count);
  }

  pageOf(trace_id: string): string | undefined {
    return this.#parts.trace_url?.(trace_id);
  }
}
