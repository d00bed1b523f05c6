import { AsyncLocalStorage } from 'node:async_hooks';
import { BoundedMap, type Ids } from '../../../../kernel/contracts/index.ts';
import {
  type FinishedSpan,
  decodeTrace,
  spanIdOf,
  type TraceContext,
  type TracedRun,
  type Tracer,
  traceIdOf,
} from '../contract.ts';
import type { TracingSettings } from '../domain/settings.ts';
import type { SpanQueue } from './span-queue.ts';

/** Runs whose log lines carry their trace. */
const MAX_REMEMBERED = 5000;

export interface OtlpTracerOptions extends Pick<TracingSettings, 'sampler' | 'trace_url'> {
  ids: Pick<Ids, 'bytes'>;
  queue: Pick<SpanQueue, 'add' | 'dropped'>;
}

export class OtlpTracer implements Tracer {
  readonly #options: OtlpTracerOptions;
  readonly #present = new AsyncLocalStorage<TraceContext>();
  readonly #remembered = new BoundedMap<string, TraceContext>(MAX_REMEMBERED);

  constructor(options: OtlpTracerOptions) {
    this.#options = options;
  }

  current(): TraceContext | undefined {
    return this.#present.getStore();
  }

  within<T>(context: TraceContext, work: () => T): T {
    return this.#present.run(context, work);
  }

  begin(parent: TraceContext | undefined): TraceContext {
    const { ids, sampler } = this.#options;
    const trace_id = parent?.trace_id ?? ids.bytes(16).toString('hex');
    const span_id = ids.bytes(8).toString('hex');
    return { trace_id, span_id, sampled: sampler(trace_id, parent), state: parent?.state };
  }

  ofRun({ run_id, trace }: TracedRun): TraceContext {
    const parent = decodeTrace(trace);
    const trace_id = parent?.trace_id ?? traceIdOf(run_id);
    const sampled = this.#options.sampler(trace_id, parent);
    return { trace_id, span_id: spanIdOf('run', run_id), sampled, state: parent?.state };
  }

  remember(run: TracedRun): TraceContext {
    const cached = this.#remembered.get(run.run_id);
    if (cached) return cached;
    const context = this.ofRun(run);
    this.#remembered.set(run.run_id, context);
    return context;
  }

  /** The span of the run that a log line names, or of the work that writes the line. */
  ofLine(run_id: unknown): TraceContext | undefined {
    return (typeof run_id === 'string' ? this.#remembered.get(run_id) : undefined) ?? this.current();
  }

  add(span: FinishedSpan): void {
    if (span.context.sampled) this.#options.queue.add(span);
  }

  dropped(count: number): void {
    this.#options.queue.dropped(count);
  }

  pageOf(trace_id: string): string | undefined {
    return this.#options.trace_url?.(trace_id);
  }
}
