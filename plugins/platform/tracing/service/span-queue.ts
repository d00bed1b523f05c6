import type { Cancel, Clock, Log, Metrics } from '../../../../kernel/contracts/index.ts';
import type { FinishedSpan } from '../contract.ts';
import type { TracingSettings } from '../domain/settings.ts';
import type { SpanExporterClient } from './otlp.ts';

/** A collector that does not answer delays the stop by at most this time. */
const STOP_MS = 3000;

export interface SpanQueueOptions {
  clock: Clock;
  log: Log;
  metrics: Metrics;
  limits: TracingSettings['queue'];
  open: () => Promise<SpanExporterClient>;
}

/** A bounded queue of spans for the collector. They are sent in batches, one at a time. When it is full, spans are dropped. */
export class SpanQueue {
  readonly #options: SpanQueueOptions;
  readonly #exported: ReturnType<Metrics['counter']>;
  readonly #dropped: ReturnType<Metrics['counter']>;
  #waiting: FinishedSpan[] = [];
  #exporter: Promise<SpanExporterClient> | undefined;
  #sending: Promise<void> | undefined;
  #cancel: Cancel | undefined;
  #failing = false;
  #stopped = false;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
    this.#exported = options.metrics.counter(
      'svc_trace_spans_exported_total',
      'Spans that the collector has accepted.',
    );
    this.#dropped = options.metrics.counter(
      'svc_trace_spans_dropped_total',
      'Spans that were not exported: queue_full, or export_failed.',
      ['reason'],
    );
  }

  add(span: FinishedSpan): void {
    const { limits, clock } = this.#options;
    if (this.#stopped || this.#waiting.length >= limits.max) return this.dropped(1);
    this.#waiting.push(span);
    if (this.#waiting.length >= limits.batch) this.#send();
    else this.#cancel ??= clock.after(limits.delay_ms, () => this.#send(), { unref: true });
  }

  dropped(count: number, reason = 'queue_full'): void {
    if (count > 0) this.#dropped.inc({ reason }, count);
  }

  /** Sends the waiting spans within a time limit. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(STOP_MS, resolve);
    await Promise.race([this.#flush(), promise]);
    cancel();
    this.dropped(this.#waiting.splice(0).length, 'export_failed');
    this.#cancel?.();
    const closing = this.#exporter?.then((exporter) => exporter.close()).catch(() => undefined);
    if (closing) await Promise.race([closing, promise]);
  }

  async #flush(): Promise<void> {
    await this.#sending;
    while (this.#waiting.length > 0 && !this.#failing) await this.#batch();
  }

  #send(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    // This promise never rejects.
    this.#sending ??= this.#batches().finally(() => {
      this.#sending = undefined;
    });
  }

  async #batches(): Promise<void> {
    do await this.#batch();
    while (this.#waiting.length >= this.#options.limits.batch);
    if (this.#waiting.length > 0 && !this.#stopped)
      this.#cancel ??= this.#options.clock.after(this.#options.limits.delay_ms, () => this.#send(), { unref: true });
  }

  async #batch(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#options.limits.batch);
    if (batch.length === 0) return;
    try {
      this.#exporter ??= this.#options.open();
      await (await this.#exporter).send(batch);
      this.#exported.inc({}, batch.length);
      if (this.#failing) this.#options.log.info({}, 'spans are exported again');
      this.#failing = false;
    } catch (error) {
      this.dropped(batch.length, 'export_failed');
      if (!this.#failing) this.#options.log.warn({ reason: reasonOf(error) }, 'spans could not be exported');
      this.#failing = true;
    }
  }
}

/** Returns a code instead of the message, which may contain the address and thereby a secret. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: string };
  return code === undefined ? (name ?? 'unknown') : String(code);
}
