import type { Cancel, Clock, Log, Metrics } from '../../../kernel/contracts/index.ts';
import type { FinishedSpan } from '../contract.ts';
import type { TracingSettings } from '../domain/settings.ts';
import type { Outlet } from './otlp.ts';

/** At stop; a collector that does not answer must not hold up more than this. */
const STOP_MS = 3000;

export interface SpanQueueParts {
  clock: Clock;
  log: Log;
  metrics: Metrics;
  limits: TracingSettings['queue'];
  open: () => Promise<Outlet>;
}

/** Spans that wait for the collector: at most so many, sent in batches, one batch at a time. What has no room is dropped. */
export class SpanQueue {
  readonly #parts: SpanQueueParts;
  readonly #exported: ReturnType<Metrics['counter']>;
  readonly #dropped: ReturnType<Metrics['counter']>;
  #waiting: FinishedSpan[] = [];
  #outlet: Promise<Outlet> | undefined;
  #sending: Promise<void> | undefined;
  #cancel: Cancel | undefined;
  #failing = false;
  #stopped = false;

  constructor(parts: SpanQueueParts) {
    this.#parts = parts;
    this.#exported = parts.metrics.counter('svc_trace_spans_exported_total', 'Spans that the collector has taken.');
    this.#dropped = parts.metrics.counter(
      'svc_trace_spans_dropped_total',
      'Spans that were not exported: queue_full, or export_failed.',
      ['reason'],
    );
  }

  add(span: FinishedSpan): void {
    const { limits, clock } = this.#parts;
    if (this.#stopped || this.#waiting.length >= limits.most) return this.dropped(1);
    this.#waiting.push(span);
    if (this.#waiting.length >= limits.batch) this.#send();
    else this.#cancel ??= clock.after(limits.delay_ms, () => this.#send(), { unref: true });
  }

  dropped(count: number, reason = 'queue_full'): void {
    if (count > 0) this.#dropped.inc({ reason }, count);
  }

  /** Sends what waits, within a bound. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.clock.after(STOP_MS, resolve);
    await Promise.race([this.#flush(), promise]);
    cancel();
    this.dropped(this.#waiting.splice(0).length, 'export_failed');
    this.#cancel?.();
    const closing = this.#outlet?.then((outlet) => outlet.close()).catch(() => undefined);
    if (closing) await Promise.race([closing, promise]);
  }

  async #flush(): Promise<void> {
    await this.#sending;
    while (this.#waiting.length > 0 && !this.#failing) await this.#batch();
  }

  #send(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    // Never rejects.
    this.#sending ??= this.#batches().finally(() => {
      this.#sending = undefined;
    });
  }

  async #batches(): Promise<void> {
    do await this.#batch();
    while (this.#waiting.length >= this.#parts.limits.batch);
    if (this.#waiting.length > 0 && !this.#stopped)
      this.#cancel ??= this.#parts.clock.after(this.#parts.limits.delay_ms, () => this.#send(), { unref: true });
  }

  async #batch(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#parts.limits.batch);
    if (batch.length === 0) return;
    try {
      this.#outlet ??= this.#parts.open();
      await (await this.#outlet).send(batch);
      this.#exported.inc({}, batch.length);
      if (this.#failing) this.#parts.log.info({}, 'spans are exported again');
      this.#failing = false;
    } catch (error) {
      this.dropped(batch.length, 'export_failed');
      if (!this.#failing) this.#parts.log.warn({ reason: reasonOf(error) }, 'spans could not be exported');
      this.#failing = true;
    }
  }
}

/** A code or a status: the message may name the address, which may hold a secret. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: string };
  return code === undefined ? (name ?? 'unknown') : String(code);
}
